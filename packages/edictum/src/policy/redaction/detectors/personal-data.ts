// Numbers and addresses that belong to a person.
import { passesLuhn, passesMod97 } from './checksums.js'
import { type Detector, follows, inAnyCase, type Verify } from './detector.js'

/** Areas 000, 666 and 900 to 999, group 00 and serial 0000 are never given out. */
const isIssuedSsn: Verify = (text, match) => {
  const digits = text.slice(match.start, match.end).replace(/\D/g, '')
  const isNever = /^(?:000|666|9)/.test(digits) || digits.startsWith('00', 3) || digits.endsWith('0000')
  return isNever ? undefined : match
}

/** First digits and lengths of the large card networks. */
const cardNumbers =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11,16}|35(?:2[89]|[3-8]\d)\d{12,15}|6(?:011|5\d\d|4[4-9]\d)\d{12,15}|62\d{14,17})$/

const isCardNumber: Verify = (text, match) => {
  const digits = text.slice(match.start, match.end).replace(/\D/g, '')
  return cardNumbers.test(digits) && passesLuhn(digits) ? match : undefined
}

/** Lengths by country, from the IBAN registry. */
const accountLengths: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 ' +
    'FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 ' +
    'LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 ' +
    'RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))] as const),
)

/** The country says how long the number is; what follows it is other text. */
const isAccountNumber: Verify = (text, { start, end }) => {
  const length = accountLengths.get(text.slice(start, start + 2))
  if (length === undefined) return undefined
  let account = ''
  for (let at = start; at < end; at++) {
    if (text[at] !== ' ') account += text[at] ?? ''
    if (account.length < length) continue
    const isWhole = !/[A-Za-z0-9]/.test(text[at + 1] ?? '')
    return isWhole && passesMod97(account) ? { start, end: at + 1 } : undefined
  }
  return undefined
}

export const personalData = {
  ssn: {
    source: 'Social Security Administration, "Social Security number randomization"',
    forms: [
      {
        kind: 'bounded',
        find: '(?<![0-9])(?<![0-9]-)[0-9]{3}(?:-[0-9]{2}-| [0-9]{2} )[0-9]{4}(?![0-9])(?!-[0-9])',
        longest: 11,
        verify: isIssuedSsn,
      },
      follows({
        begins: inAnyCase('ssn', 'social security number'),
        lead: '["\']?(?: is)?[ :=#"\']{1,4}',
        find: '[0-9]{9}(?![0-9])',
        verify: isIssuedSsn,
      }),
    ],
  },
  'credit-card': {
    source: 'ISO/IEC 7812-1; ranges published by the networks',
    forms: [
      {
        kind: 'bounded',
        find:
          '(?<![0-9])(?<![0-9]\\.)(?:[2-6][0-9]{12,18}' +
          '|[2-6][0-9]{3}(?:(?: [0-9]{4}){3}(?: [0-9]{3})?|(?:-[0-9]{4}){3}(?:-[0-9]{3})?)' +
          '|3[0-9]{3}(?: [0-9]{6} [0-9]{4,5}|-[0-9]{6}-[0-9]{4,5}))(?![0-9])',
        longest: 23,
        verify: isCardNumber,
      },
    ],
  },
  email: {
    source: 'RFC 5321, 4.1.2 and 4.5.3.1, without quoted local parts',
    forms: [
      {
        kind: 'bounded',
        find: '(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9])',
        longest: 601,
        contains: '@',
      },
    ],
  },
  phone: {
    source: 'ITU-T E.164; North American Numbering Plan',
    forms: [
      {
        kind: 'bounded',
        find: '(?<![A-Za-z0-9+])\\+[1-9](?:[ .()-]{0,2}[0-9]){7,14}(?![0-9])',
        longest: 44,
        contains: '+',
      },
      {
        kind: 'bounded',
        find:
          '(?<![A-Za-z0-9.-])(?:1[-. ])?(?:\\([2-9][0-9]{2}\\) ?|[2-9][0-9]{2}[-.])' +
          '[2-9][0-9]{2}[-.][0-9]{4}(?![A-Za-z0-9-])',
        longest: 16,
      },
    ],
  },
  iban: {
    source: 'ISO 13616; SWIFT, IBAN registry',
    forms: [
      {
        kind: 'bounded',
        find: '(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30}',
        longest: 64,
        verify: isAccountNumber,
      },
    ],
  },
} as const satisfies Readonly<Record<string, Detector>>
