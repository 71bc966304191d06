// What the name of an argument says about the text in it.

/** What a text under a key is taken for. `other` is judged by how it looks. */
export type TextRole =
  'path' | 'working-folder' | 'command' | 'script' | 'host' | 'link' | 'content' | 'other'

const roles = new Map<string, TextRole>([
  ...entries('working-folder', 'cwd workingdirectory workingdir workdir'),
  ...entries(
    'path',
    'path filepath directory dir folder target destination source src dst filename file readpath writepath',
  ),
  ...entries(
    'command',
    'command commands cmd cmds commandline cmdline bashcommand shellcommand commandstring commandtext argv',
  ),
  ...entries('script', 'script scripts code shell exec execute run program executable bash sh'),
  ...entries('host', 'url urls host hosts hostname domain domains server proxy ip ipaddress'),
  ...entries(
    'link',
    'uri uris href link links endpoint endpoints origin remote registry webhook callback address',
  ),
  ...entries(
    'content',
    'content contents text body message prompt description data newstring oldstring newstr oldstr newtext oldtext ' +
      'filetext inserttext diff patch title subject summary comment note notes markdown html replacement snippet reason ' +
      'explanation thought newsource oldsource sourcecode codeedit instructions',
  ),
])

/** Names that keep their meaning at the end of a longer one: `output_path`, `inputFile`, `base_url`. */
const telling = new Map<string, TextRole>([
  ...entries(
    'path',
    'path paths file files filename filenames filepath dir dirs directory directories folder folders',
  ),
  ...entries('host', 'url urls host hostname domain proxy'),
  ...entries('link', 'uri endpoint href webhook'),
  ...entries('command', 'command cmd'),
  ...entries('content', 'content text message description'),
])

const keptKeys = 1_000
const known = new Map<string, TextRole>()

export function roleOfKey(key: string): TextRole {
  const role = known.get(key)
  if (role !== undefined) return role
  const found = findRole(key)
  if (known.size >= keptKeys) known.clear()
  if (key.length <= 64) known.set(key, found)
  return found
}

function findRole(key: string): TextRole {
  if (key.length > 64) return 'other'
  const words = key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  return roles.get(words.join('')) ?? telling.get(words.at(-1) ?? '') ?? 'other'
}

function entries(role: TextRole, keys: string): (readonly [string, TextRole])[] {
  return keys.split(' ').map((key) => [key, role] as const)
}
