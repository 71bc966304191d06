// The detector library: every name a contract may use, with the forms it finds.
import type { DetectorName } from '../../../contracts/detectors.js'
import { assignments } from './assignments.js'
import { credentials } from './credentials.js'
import type { Detector } from './detector.js'
import { personalData } from './personal-data.js'
import { providerTokens } from './provider-tokens.js'

export const detectors: Readonly<Record<DetectorName, Detector>> = {
  ...credentials,
  ...providerTokens,
  ...assignments,
  ...personalData,
}
