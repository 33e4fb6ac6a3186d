import { flagOf } from './current-command.js'

/** The options that set fields of the host API, where their names differ. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  allow: ['webhookAllow'],
  apiKeyFile: ['embeddingKeyFile'],
  appRoleId: ['role'],
  baseUrl: ['embeddingUrl'],
  chunkSizeTokens: ['chunkSize'],
  chunkSizesTokens: ['chunkSize'],
  companyId: ['company'],
  companyName: ['company'],
  contextIds: ['context'],
  deliveryRetentionDays: ['webhookRetentionDays'],
  dimensions: ['embeddingDimensions'],
  displayName: ['name'],
  email: ['ownerEmail'],
  embeddingModel: ['model'],
  embeddingModels: ['model'],
  eventTypes: ['events'],
  includesDescendants: ['includeDescendants', 'descendants'],
  modes: ['mode'],
  overlaps: ['overlap'],
  parentId: ['parent'],
  passagePrefix: ['embeddingPassagePrefix'],
  queryPrefix: ['embeddingQueryPrefix'],
  toUserId: ['to'],
  toolsJson: ['tools'],
  topN: ['top'],
  trustedProxies: ['trustedProxy'],
  userId: ['user'],
  windowTokens: ['embeddingWindow'],
}

/**
 * Replaces the field at the beginning of a message of the engine by the option of the command that sets it. A field that
 * the command takes as an argument keeps its name.
 *
 * @param message such as `settings.overlap: must be …` or `toolsJson[0].name: must be …`
 * @returns such as `--overlap: must be …` or `--tools [0].name: must be …`
 */
export function withOptionOfField(message: string): string {
  const [, name, rest = '', problem] = /^(?:settings\.)?(\w+)([\w.[\]]*)(: .*)$/s.exec(message) ?? []
  if (name === undefined || problem === undefined) return message
  // There is no option: a key on the command line would be visible to other users.
  if (name === 'apiKey') return `ALCOVE_EMBEDDING_KEY${problem}`
  const flag = flagOf(...(OPTIONS[name] ?? []), name)
  if (flag === undefined) return message
  return `${flag}${rest === '' ? '' : ` ${rest.replace(/^\./, '')}`}${problem}`
}
