// Programs whose operands are another command. Every option is listed with its arity: guessing one wrong would take the
// value of an option for the command, so an option that is not here makes the line unresolvable.

export interface Wrapper {
  readonly programs: readonly string[]
  /** Options without a value; a long one may still carry `=value`, a short one marked with `…` the rest of its word. */
  readonly flags?: string
  /** Options with a value in the same or the next word. */
  readonly valued?: string
  /** Operands in front of the command. */
  readonly skip?: number
  /** `NAME=value` words in front of the command set its environment. */
  readonly assigns?: true
  /** With one of these nothing is started. */
  readonly asks?: string
  /** What becomes of the operands: one argument list, or one text for a shell. */
  readonly runs?: 'argv' | 'shell'
  /** Value of this option stands for input inside the command. */
  readonly placeholder?: string
  /** Arguments that are read from elsewhere are added at the end. */
  readonly appends?: true
  /** Without operands a shell is started that reads its commands from input. */
  readonly bare?: 'shell'
  readonly source: string
}

const HELP = '--help --version'

export const WRAPPERS: readonly Wrapper[] = [
  {
    programs: ['env', 'genv'],
    flags:
      '-i -0 -v --ignore-environment --null --debug --list-signal-handling --block-signal --default-signal --ignore-signal -',
    valued: '-u -C -a --unset --chdir --argv0',
    assigns: true,
    asks: HELP,
    source: 'env(1)',
  },
  {
    programs: ['sudo', 'sudoedit'],
    flags:
      '-A -B -b -E -H -K -k -n -P -S -V -v -N -i -s --askpass --background --bell --preserve-env --set-home --reset-timestamp --remove-timestamp --non-interactive --preserve-groups --stdin --validate --no-update --login --shell',
    valued:
      '-C -D -g -h -p -R -r -T -t -U -u --close-from --chdir --group --host --prompt --chroot --role --command-timeout --type --other-user --user',
    assigns: true,
    asks: `${HELP} -l --list`,
    source: 'sudo(8)',
  },
  { programs: ['doas'], flags: '-n -s -L', valued: '-u -C -a', source: 'doas(1)' },
  {
    programs: ['pkexec'],
    flags: '--disable-internal-agent --keep-cwd',
    valued: '--user',
    asks: HELP,
    source: 'pkexec(1)',
  },
  { programs: ['nohup'], asks: HELP, source: 'nohup(1)' },
  {
    programs: ['timeout', 'gtimeout'],
    flags: '-f -p -v --foreground --preserve-status --verbose',
    valued: '-k -s --kill-after --signal',
    skip: 1,
    asks: HELP,
    source: 'timeout(1)',
  },
  {
    programs: ['nice'],
    flags: '-0… -1… -2… -3… -4… -5… -6… -7… -8… -9…',
    valued: '-n --adjustment',
    asks: HELP,
    source: 'nice(1)',
  },
  {
    programs: ['ionice'],
    flags: '-t --ignore',
    valued: '-c -n --class --classdata',
    asks: '-p --pid -P -u --help --version',
    source: 'ionice(1)',
  },
  {
    programs: ['chrt'],
    flags:
      '-a -b -d -f -i -o -r -R -v --batch --deadline --fifo --idle --other --rr --reset-on-fork --verbose',
    valued: '-T -P -D --sched-runtime --sched-period --sched-deadline',
    skip: 1,
    asks: '-m --max -p --pid --help --version',
    source: 'chrt(1)',
  },
  {
    programs: ['taskset'],
    flags: '-a -c --all-tasks --cpu-list',
    skip: 1,
    asks: '-p --pid --help --version',
    source: 'taskset(1)',
  },
  {
    programs: ['prlimit'],
    flags:
      '--as --core --cpu --data --fsize --locks --memlock --msgqueue --nice --nofile --nproc --rss --rtprio --rttime --sigpending --stack --noheadings --raw --verbose',
    valued: '-o --output',
    asks: '-p --pid --help --version',
    source: 'prlimit(1)',
  },
  { programs: ['stdbuf'], valued: '-i -o -e --input --output --error', asks: HELP, source: 'stdbuf(1)' },
  { programs: ['setsid'], flags: '-c -f -w --ctty --fork --wait', asks: HELP, source: 'setsid(1)' },
  {
    programs: ['chroot'],
    flags: '--skip-chdir',
    valued: '--groups --userspec',
    skip: 1,
    bare: 'shell',
    asks: HELP,
    source: 'chroot(8)',
  },
  {
    programs: ['unshare'],
    flags:
      '-m -u -i -n -p -U -C -T -f -r -c --mount --uts --ipc --net --pid --user --cgroup --time --fork --kill-child --mount-proc --map-root-user --map-current-user',
    valued: '-R -w -S -G --root --wd --setuid --setgid --propagation --setgroups',
    bare: 'shell',
    asks: HELP,
    source: 'unshare(1)',
  },
  {
    programs: ['nsenter'],
    flags:
      '-a -m… -u… -i… -n… -p… -U… -C… -T… -r… -w… -F -Z --all --mount --uts --ipc --net --pid --user --cgroup --time --root --wd --no-fork --preserve-credentials',
    valued: '-t -S -G --target --setuid --setgid',
    bare: 'shell',
    asks: HELP,
    source: 'nsenter(1)',
  },
  {
    programs: ['time', 'gtime'],
    flags: '-a -p -q -v --append --portability --quiet --verbose',
    valued: '-f -o --format --output',
    asks: '-V --help --version',
    source: 'time(1)',
  },
  { programs: ['command'], flags: '-p', asks: '-v -V', source: 'bash(1), SHELL BUILTIN COMMANDS' },
  { programs: ['builtin'], source: 'bash(1), SHELL BUILTIN COMMANDS' },
  { programs: ['exec'], flags: '-c -l', valued: '-a', source: 'bash(1), SHELL BUILTIN COMMANDS' },
  { programs: ['noglob', 'nocorrect'], source: 'zshmisc(1), PRECOMMAND MODIFIERS' },
  {
    programs: ['xargs', 'gxargs'],
    flags:
      '-0 -o -p -r -t -x -e… -i… -l… --null --open-tty --interactive --no-run-if-empty --verbose --exit --show-limits --eof --max-lines --replace',
    valued:
      '-a -d -E -I -L -n -P -s -R -J -S --arg-file --delimiter --max-args --max-procs --max-chars --process-slot-var',
    placeholder: '-I',
    appends: true,
    asks: HELP,
    source: 'xargs(1)',
  },
  {
    programs: ['flock'],
    flags: '-s -x -e -u -n -o -F --shared --exclusive --unlock --nonblock --close --no-fork --verbose',
    valued: '-w -E --timeout --conflict-exit-code',
    skip: 1,
    asks: HELP,
    source: 'flock(1)',
  },
  {
    programs: ['watch'],
    flags:
      '-b -c -C -d… -e -g -p -t -w -x -r --beep --color --no-color --differences --errexit --chgexit --precise --no-title --no-wrap --exec --no-rerun',
    valued: '-n -q --interval --equexit',
    runs: 'shell',
    asks: '-h -v --help --version',
    source: 'watch(1)',
  },
  {
    programs: ['strace'],
    flags: '-A -c -C -d -f -ff -F -h -i -k -n -q -qq -r -t -tt -ttt -T -v -V -w -x -xx -y -yy -z -Z -D -L',
    valued: '-a -b -e -E -I -o -O -P -s -S -u -U -X -p',
    asks: HELP,
    source: 'strace(1)',
  },
  {
    programs: ['ltrace'],
    flags: '-c -C -f -h -i -L -r -S -t -tt -ttt -T -V -b',
    valued: '-a -A -D -e -F -l -n -o -p -s -u -w -x',
    asks: HELP,
    source: 'ltrace(1)',
  },
  {
    programs: ['valgrind'],
    flags: '-q -v --quiet --verbose --tool --leak-check --track-origins --error-exitcode --show-leak-kinds',
    asks: HELP,
    source: 'valgrind(1)',
  },
  {
    programs: ['systemd-run', 'systemd-inhibit'],
    flags:
      '-d -G -P -q -r -S -t --user --system --scope --no-block --wait --pty --pipe --quiet --collect --same-dir --remain-after-exit --send-sighup --shell --no-ask-password',
    bare: 'shell',
    valued:
      '-u -p -E -H -M --unit --property --description --slice --uid --gid --nice --working-directory --setenv --on-active --on-calendar --service-type --what --who --why --mode',
    asks: HELP,
    source: 'systemd-run(1)',
  },
  {
    programs: ['setpriv'],
    flags: '-d --nnp --no-new-privs --clear-groups --keep-groups --init-groups --reset-env --dump',
    valued:
      '--ruid --euid --rgid --egid --reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits --pdeathsig --selinux-label --apparmor-profile',
    asks: HELP,
    source: 'setpriv(1)',
  },
  { programs: ['gosu', 'su-exec', 'chpst', 'setuidgid'], skip: 1, source: 'setuidgid(8)' },
  { programs: ['busybox', 'toybox'], asks: '--list --list-full --help --version', source: 'busybox(1)' },
  {
    programs: ['npx', 'pnpx', 'bunx', 'uvx'],
    flags: '-y -n -q --yes --no --no-install --quiet --silent --prefer-offline --offline --bun',
    valued: '-p --package --from --with',
    asks: HELP,
    source: 'npx(1)',
  },
  { programs: ['caffeinate'], flags: '-d -i -m -s -u', valued: '-t -w', source: 'caffeinate(8)' },
  {
    programs: ['cross-env', 'cross-env-shell'],
    assigns: true,
    runs: 'shell',
    source: 'cross-env readme, Usage',
  },
  {
    programs: [
      'dumb-init',
      'tini',
      'catchsegv',
      'fakeroot',
      'torsocks',
      'torify',
      'dbus-run-session',
      'unbuffer',
      'winpty',
      'proxychains',
      'proxychains4',
      'ssh-agent',
      'xvfb-run',
    ],
    asks: HELP,
    source: 'program manual, SYNOPSIS',
  },
]
