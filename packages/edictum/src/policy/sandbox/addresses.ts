// IP addresses: which forms are the same address, and which addresses are reachable only from inside.

/** The IPv4 address an IPv6 address carries, or the address itself, in the usual form; undefined for a name. */
export function canonicalAddress(host: string): string | undefined {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(host)) return host
  const groups = readGroups(host)
  if (groups === undefined) return undefined
  return embeddedAddress(groups) ?? host
}

/** Loopback, link-local, private, metadata, multicast, reserved: nothing a rule about public names means. */
export function isInternalAddress(address: string): boolean {
  const groups = readGroups(address)
  if (groups === undefined) return isInternalVersion4(address.split('.').map(Number))
  const [first = 0] = groups
  if (groups.slice(0, 7).every((group) => group === 0) && (groups[7] ?? 0) <= 1) return true
  // Unique local, link-local, site-local, multicast, documentation, discard.
  return (
    (first & 0xfe00) === 0xfc00 ||
    (first & 0xff80) === 0xfe80 ||
    first >= 0xff00 ||
    first === 0x100 ||
    isDocumentation(groups)
  )
}

function isDocumentation([first, second]: readonly number[]): boolean {
  return first === 0x2001 && second === 0xdb8
}

function isInternalVersion4([a = 0, b = 0, c = 0]: readonly number[]): boolean {
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    a >= 224 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && (b === 168 || (b === 0 && c === 0))) ||
    (a === 198 && (b === 18 || b === 19))
  )
}

/** Mapped, compatible, translated (64:ff9b), 6to4: an IPv4 address in other clothes. */
function embeddedAddress(groups: readonly number[]): string | undefined {
  const [a, b, c] = groups
  const isZero = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0)
  if (isZero(0, 5) && groups[5] === 0xffff) return dotted(groups, 6)
  if (isZero(0, 6) && (groups[6] ?? 0) > 0) return dotted(groups, 6)
  if (isZero(0, 4) && groups[4] === 0xffff && groups[5] === 0) return dotted(groups, 6)
  if (a === 0x64 && b === 0xff9b && (c === 1 || isZero(2, 6))) return dotted(groups, 6)
  return a === 0x2002 ? dotted(groups, 1) : undefined
}

function dotted(groups: readonly number[], at: number): string {
  const high = groups[at] ?? 0
  const low = groups[at + 1] ?? 0
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}

/** The eight groups of an address in the form a URL parser gives it: no dotted tail, one `::` at most. */
function readGroups(address: string): readonly number[] | undefined {
  if (!/^[0-9a-f:]*:[0-9a-f:]*$/.test(address)) return undefined
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  const groups = [...before, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...after]
  return groups.length === 8 ? groups.map((group) => Number.parseInt(group, 16)) : undefined
}
