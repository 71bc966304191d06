// Check digits of numbers that have some.

/** The last digit of a payment card number makes a weighted sum a multiple of ten (ISO/IEC 7812-1, annex B). */
export function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 0x30
    const weighted = place % 2 === 0 ? digit : digit * 2
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return sum % 10 === 0
}

/** An account number, its first four characters moved to the end and letters read as 10 to 35, is 1 modulo 97 (ISO 13616). */
export function passesMod97(account: string): boolean {
  let remainder = 0
  for (const character of account.slice(4) + account.slice(0, 4)) {
    const value = parseInt(character, 36)
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
  }
  return remainder === 1
}
