import { requireSecretKey } from '../kernel/crypto.js'
import { InvalidInputError } from '../kernel/errors.js'
import { type EngineLimits, limitsOf } from '../kernel/limits.js'
import { booleanSchema, integerSchema, refuseUnknownMembers, textSchema, validate } from '../kernel/validate.js'
import {
  checkMailSettings,
  type MailSettings,
  parseInitial,
  type TokenIssuer,
  tokenIssuerOf,
} from '../tenancy/index.js'
import type { EngineOptions, EngineRole } from './engine-options.js'

/** The settings of an engine that are no ports, checked and with their defaults. */
export interface EngineSettings {
  readonly limits: EngineLimits
  readonly tokenIssuer: TokenIssuer
  readonly mail: MailSettings
  readonly hostClientId: string | undefined
  readonly auditRetentionDays: number
  readonly deliveryRetentionDays: number
  readonly sendsTraceparent: boolean
}

/** The names of all options; a type error if one is missing. */
const NAMES: Readonly<Record<keyof EngineOptions, true>> = {
  storage: true,
  vectorIndex: true,
  lexicalIndex: true,
  embeddingModels: true,
  textExtractor: true,
  fileStore: true,
  starterPromptWriter: true,
  tokenSigner: true,
  passwordHasher: true,
  commonPasswords: true,
  oneTimePasswords: true,
  mailer: true,
  httpTransport: true,
  secretKey: true,
  deliveryRetentionDays: true,
  auditRetentionDays: true,
  hostClientId: true,
  tokenIssuer: true,
  mail: true,
  reranker: true,
  clock: true,
  telemetry: true,
  sendsTraceparent: true,
  isWorking: true,
  roles: true,
  isAlone: true,
  isShared: true,
  isSweeping: true,
  limits: true,
  ingestionConcurrency: true,
  initial: true,
}

const CLIENT_ID = textSchema({ min: 1, max: 255, isLine: true }).optional()
const DAYS = integerSchema({ min: 1, max: 36_500 })
const AUDIT_RETENTION_DAYS = 400
const DELIVERY_RETENTION_DAYS = 30

const ROLES: Readonly<Record<EngineRole, true>> = { ingest: true, relay: true }
const FLAG = booleanSchema().optional()
const FLAGS = ['sendsTraceparent', 'isWorking', 'isAlone', 'isShared', 'isSweeping'] as const

/**
 * Checks the options of an engine that are given, and leaves out those that are missing. A host that prepares something
 * for its engine, such as a folder, can call it before.
 *
 * @param further names of options of the host's own that the same object may have. Default: none
 * @throws InvalidInputError for an unknown or invalid option
 * @throws SecretKeyError if `secretKey` does not have 32 bytes
 */
export function checkEngineOptions(options: Partial<EngineOptions>, further: readonly string[] = []): void {
  refuseUnknownMembers(options, [...Object.keys(NAMES), ...further], 'option')
  const { embeddingModels, roles, ingestionConcurrency = 1, secretKey, initial } = options
  for (const name of FLAGS) validate(FLAG, options[name], name)
  if (embeddingModels !== undefined && !(Array.isArray(embeddingModels) && embeddingModels.length > 0))
    throw new InvalidInputError('embeddingModels', 'must have at least one model')
  if (!Number.isSafeInteger(ingestionConcurrency) || ingestionConcurrency < 1)
    throw new InvalidInputError('ingestionConcurrency', 'must be a positive integer')
  if (roles !== undefined) checkRoles(roles)
  if (secretKey !== undefined) requireSecretKey(secretKey)
  if (initial !== undefined) parseInitial(initial, 'initial')
  settingsOf(options)
}

/** @throws InvalidInputError */
export function settingsOf(options: Partial<EngineOptions>): EngineSettings {
  const { mail = {}, sendsTraceparent = false } = options
  const { auditRetentionDays = AUDIT_RETENTION_DAYS, deliveryRetentionDays = DELIVERY_RETENTION_DAYS } = options
  checkMailSettings(mail, 'mail')
  return {
    limits: limitsOf(options.limits),
    tokenIssuer: tokenIssuerOf(options.tokenIssuer),
    mail,
    hostClientId: validate(CLIENT_ID, options.hostClientId, 'hostClientId'),
    auditRetentionDays: validate(DAYS, auditRetentionDays, 'auditRetentionDays'),
    deliveryRetentionDays: validate(DAYS, deliveryRetentionDays, 'deliveryRetentionDays'),
    sendsTraceparent,
  }
}

function checkRoles(roles: unknown): void {
  if (Array.isArray(roles) && roles.every((role) => typeof role === 'string' && Object.hasOwn(ROLES, role))) return
  const list = Object.keys(ROLES)
    .map((role) => JSON.stringify(role))
    .join(', ')
  throw new InvalidInputError('roles', `must be a list of roles, which are ${list}`)
}

/** @throws InvalidInputError for an option that is missing, unknown or invalid */
export function requireValid(options: EngineOptions): void {
  checkEngineOptions(options)
  const untyped: Partial<EngineOptions> = options
  if (untyped.embeddingModels === undefined)
    throw new InvalidInputError('embeddingModels', 'must have at least one model')
  // Without this check, a missing list would fail at the first password, not at the start.
  if (untyped.commonPasswords === undefined)
    throw new InvalidInputError('commonPasswords', 'must be a list of common passwords')
}
