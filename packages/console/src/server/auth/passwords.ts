// Passwords are made slow to guess (scrypt); checking one takes as long for an address nobody has.
import { randomBytes, scrypt, type ScryptOptions } from 'node:crypto'
import { isSameText } from './tokens.js'

const cost = { N: 32_768, r: 8, p: 1 }
const memoryBytes = 64 * 1_048_576

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, cost)
  return `scrypt$${cost.N}$${cost.r}$${cost.p}$${salt.toString('base64url')}$${hash}`
}

/** @param stored null when there is no such user or no password: false, but not sooner. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, N, r, p, salt, hash] = (stored ?? (await nobodysPassword())).split('$')
  const settings = { N: Number(N), r: Number(r), p: Number(p) }
  const derived = await derive(password, Buffer.from(salt ?? '', 'base64url'), settings)
  return isSameText(derived, hash ?? '') && stored !== null
}

let nobodys: Promise<string> | undefined

function nobodysPassword(): Promise<string> {
  return (nobodys ??= hashPassword(randomBytes(16).toString('hex')))
}

function derive(password: string, salt: Buffer, settings: ScryptOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, 32, { ...settings, maxmem: memoryBytes }, (error, hash) => {
      if (error === null) resolve(hash.toString('base64url'))
      else reject(error)
    })
  })
}
