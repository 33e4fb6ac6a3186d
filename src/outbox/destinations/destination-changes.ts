import { randomToken } from '../../kernel/crypto.js'
import { InvalidInputError } from '../../kernel/errors.js'
import type { DestinationRecord, DisabledReason } from '../../ports/index.js'

/** No secret but the present one. */
export const NO_PREVIOUS_SECRET: Pick<DestinationRecord, 'previousSealedSecret' | 'previousSecretExpires'> = {
  previousSealedSecret: null,
  previousSecretExpires: null,
}

/** No failures so far. */
export const NOT_FAILING: Pick<DestinationRecord, 'failingSince' | 'failureReported'> = {
  failingSince: null,
  failureReported: null,
}

/** The settings of an update. Members that are missing or undefined stay as they are. */
type Settings = {
  readonly [Name in 'url' | 'name' | 'includeDescendants' | 'signatureScheme' | 'retry']?:
    | DestinationRecord[Name]
    | undefined
}

/**
 * The changes of a destination by an update. A scheme with one signature needs no previous secret, and only `long`
 * retries count failures. The failures of a URL are none of the next one.
 *
 * @param disabled undefined leaves the state as it is
 */
export function changesOf(
  before: DestinationRecord,
  settings: Settings,
  disabled: boolean | undefined,
): Partial<DestinationRecord> {
  const { url = before.url, signatureScheme = before.signatureScheme, retry = before.retry } = settings
  return {
    ...withoutUndefined(settings),
    ...(signatureScheme === 'service' && NO_PREVIOUS_SECRET),
    ...((retry === 'standard' || url !== before.url) && NOT_FAILING),
    ...disablingOf(before, disabled),
  }
}

export function distinctTypes(types: readonly string[] | null): readonly string[] | null {
  return types === null ? null : [...new Set(types)]
}

/** The members that are given. */
function withoutUndefined<T extends object>(given: T): { readonly [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { readonly [Name in keyof T]?: Exclude<T[Name], undefined> }
}

function disablingOf({ disabledReason }: DestinationRecord, disabled: boolean | undefined): Partial<DestinationRecord> {
  if (disabled === undefined || disabled === (disabledReason !== null)) return {}
  return disabled ? { disabledReason: 'manual' } : { disabledReason: null, ...NOT_FAILING }
}

type DisablingEntry =
  | { readonly action: 'destination.enabled'; readonly details: Readonly<Record<string, never>> }
  | { readonly action: 'destination.disabled'; readonly details: { readonly reason: DisabledReason } }

/** The entries of the audit trail, where a destination is disabled or enabled. */
export function disablingEntries<Target extends object>(
  { disabledReason: before }: DestinationRecord,
  { disabledReason: after }: DestinationRecord,
  target: Target,
): readonly (Target & DisablingEntry)[] {
  if ((before === null) === (after === null)) return []
  if (after === null) return [{ ...target, action: 'destination.enabled', details: {} }]
  return [{ ...target, action: 'destination.disabled', details: { reason: after } }]
}

const HOUR_MS = 3_600_000
const DEFAULT_OVERLAP_HOURS = 24

/** @returns the previous secret of a destination whose secret changes now */
export function overlapOf(
  { signatureScheme, sealedSecret }: DestinationRecord,
  overlapHours: number | undefined,
  now: Date,
): Pick<DestinationRecord, 'previousSealedSecret' | 'previousSecretExpires'> {
  if (signatureScheme === 'service' && overlapHours !== undefined && overlapHours > 0) {
    throw new InvalidInputError(
      'overlapHours',
      'needs the signature scheme standard or both: a request of the scheme service has one signature',
    )
  }
  const hours = signatureScheme === 'service' ? 0 : (overlapHours ?? DEFAULT_OVERLAP_HOURS)
  if (hours === 0) return NO_PREVIOUS_SECRET
  const expires = new Date(now.getTime() + hours * HOUR_MS).toISOString()
  return { previousSealedSecret: sealedSecret, previousSecretExpires: expires }
}

const SECRET_BYTES = 33

/**
 * A new signing secret: `whsec_` and 44 letters and digits, with more than 256 random bits. Both alphabets of base64
 * have these characters, and 33 bytes need no padding. So every library of Standard Webhooks decodes it, and the key of
 * the specification's signature is the text itself.
 */
export function newSigningSecret(): string {
  for (;;) {
    const token = randomToken(SECRET_BYTES)
    // About one token in four has neither of the two other characters.
    if (!/[-_]/.test(token)) return `whsec_${token}`
  }
}
