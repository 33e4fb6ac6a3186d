import { type ErrorReason, errorReason, LimitReachedError } from './errors.js'
import { closedObjectSchema, integerSchema, validate } from './validate.js'

/** Limits of a tenant: on data, on work in progress and on rates. The host can set each of them. */
export interface EngineLimits {
  /** Contexts of a company in all its accounts; default 10,000. */
  readonly contextsPerCompany: number
  /** Documents of a context; default 100,000. */
  readonly documentsPerContext: number
  /** Destinations of a company; default 100. */
  readonly destinationsPerCompany: number
  /** Users of a company; default 10,000. */
  readonly usersPerCompany: number
  /** API keys of a company, without revoked keys; default 1,000. */
  readonly apiKeysPerCompany: number
  /** Tokens of the prompt of a search that the model reads: of a longer one, the first and the last; default 2,048. */
  readonly promptTokens: number
  /** Waiting and running calls of an API key, or of a user without a key; default 2,048. */
  readonly callsPerKey: number
  /** Waiting and running calls of a company; default 4,096. */
  readonly callsPerCompany: number
  /** Waiting and running searches of an API key, or of a user without a key; default 32. */
  readonly searchesPerKey: number
  /** Waiting and running searches of a company; default 64. */
  readonly searchesPerCompany: number
  /** Watches of documents of an API key, or of a user without a key; default 32. */
  readonly watchesPerKey: number
  /** Watches of documents of a company; default 256. */
  readonly watchesPerCompany: number
  /** Uploads of a company in progress; default 256. */
  readonly uploadsPerCompany: number
  /** Mails with a link to a user's address in an hour. The same number applies to mails without a link. Default 5. */
  readonly mailsPerAddressPerHour: number
  /** Mails that a company causes in an hour, including mails that its users request themselves; default 200. */
  readonly mailsPerCompanyPerHour: number
  /** Mails of the whole installation in an hour; default 2,000. */
  readonly mailsPerHour: number
  /** Destinations that a company creates or changes in a minute; default 60. */
  readonly destinationChangesPerMinute: number
  /** Test events that a company sends in a minute; default 30. */
  readonly testEventsPerMinute: number
  /** Deliveries that a company resends in a minute; default 120. */
  readonly resendsPerMinute: number
  /** Wrong secrets or passwords for one name (client id or e-mail address) in a minute; default 10. */
  readonly failuresPerNamePerMinute: number
  /** Wrong secrets or passwords from one network address in a minute; default 50. */
  readonly failuresPerAddressPerMinute: number
  /** Requests to `/auth/*` from one network address in a minute; default 30. */
  readonly authRequestsPerAddressPerMinute: number
}

export const DEFAULT_LIMITS: EngineLimits = {
  contextsPerCompany: 10_000,
  documentsPerContext: 100_000,
  destinationsPerCompany: 100,
  usersPerCompany: 10_000,
  apiKeysPerCompany: 1_000,
  promptTokens: 2_048,
  callsPerKey: 2_048,
  callsPerCompany: 4_096,
  searchesPerKey: 32,
  searchesPerCompany: 64,
  watchesPerKey: 32,
  watchesPerCompany: 256,
  uploadsPerCompany: 256,
  mailsPerAddressPerHour: 5,
  mailsPerCompanyPerHour: 200,
  mailsPerHour: 2_000,
  destinationChangesPerMinute: 60,
  testEventsPerMinute: 30,
  resendsPerMinute: 120,
  failuresPerNamePerMinute: 10,
  failuresPerAddressPerMinute: 50,
  authRequestsPerAddressPerMinute: 30,
}

const LIMIT = integerSchema({ min: 1 }).optional()
const SCHEMA = closedObjectSchema(
  Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((name) => [name, LIMIT])) as Record<
    keyof EngineLimits,
    typeof LIMIT
  >,
)

/**
 * Adds the defaults to the limits that the host has set.
 * @throws InvalidInputError for an unknown limit, and for a value that is not a positive integer
 */
export function limitsOf(given: Partial<EngineLimits> = {}): EngineLimits {
  const set = Object.entries(validate(SCHEMA, given, 'limits')).filter(([, value]) => value !== undefined)
  return { ...DEFAULT_LIMITS, ...(Object.fromEntries(set) as Partial<EngineLimits>) }
}

/** Limits on stored data. */
type HeldLimit =
  | 'contextsPerCompany'
  | 'documentsPerContext'
  | 'destinationsPerCompany'
  | 'usersPerCompany'
  | 'apiKeysPerCompany'

interface Numbers {
  readonly held: number
  readonly max: number
}

/** The refusal of each limit, in words and for programs. */
const REFUSALS: Readonly<
  Record<
    HeldLimit,
    {
      readonly holder: string
      readonly things: string
      readonly remedy: string
      readonly reasonOf: (holderId: number, numbers: Numbers) => ErrorReason
    }
  >
> = {
  contextsPerCompany: {
    holder: 'the company',
    things: 'contexts',
    remedy: 'delete some',
    reasonOf: (company, numbers) => errorReason('limit-of-contexts', { company, ...numbers }),
  },
  documentsPerContext: {
    holder: 'the context',
    things: 'documents',
    remedy: 'delete some, or use another context',
    reasonOf: (context, numbers) => errorReason('limit-of-documents', { context, ...numbers }),
  },
  destinationsPerCompany: {
    holder: 'the company',
    things: 'destinations',
    remedy: 'delete some',
    reasonOf: (company, numbers) => errorReason('limit-of-destinations', { company, ...numbers }),
  },
  usersPerCompany: {
    holder: 'the company',
    things: 'users',
    remedy: 'delete some',
    reasonOf: (company, numbers) => errorReason('limit-of-users', { company, ...numbers }),
  },
  apiKeysPerCompany: {
    holder: 'the company',
    things: 'API keys',
    remedy: 'revoke some',
    reasonOf: (company, numbers) => errorReason('limit-of-api-keys', { company, ...numbers }),
  },
}

/**
 * Checks that a holder, such as a company, can have one more of something.
 * @param held the present number, counted in the transaction that adds one
 * @throws LimitReachedError
 */
export function requireBelow(limits: EngineLimits, name: HeldLimit, holderId: number, held: number): void {
  const max = limits[name]
  if (held < max) return
  const { holder, things, remedy, reasonOf } = REFUSALS[name]
  throw new LimitReachedError(
    `${holder} ${holderId} has ${held} ${things}, and the limit is ${max}: ${remedy}, or ask the operator to raise limits.${name}`,
    reasonOf(holderId, { held, max }),
  )
}
