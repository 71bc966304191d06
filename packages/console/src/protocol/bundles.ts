// Defined in the library, whose client speaks it; one definition for both sides.
export type {
  BundleAcknowledgement,
  BundleManifest,
  BundleNotice,
  BundleSignature,
  CurrentBundle,
} from 'edictum/server/protocol'
