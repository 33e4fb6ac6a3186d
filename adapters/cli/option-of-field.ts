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

/** The options of the engine that hold the fields of an option of the command. */
const FIELD =
  /^(?:settings\.|initial\.|mail\.|webhooks\.|(remoteModels\[\d+\]|remoteReranker)\.)?(\w+)([\w.[\]]*)(: .*)$/s

/**
 * Replaces the field at the beginning of a message of the engine, and one that it needs, by the option of the command that
 * sets it. A field that the command takes as an argument keeps its name.
 *
 * @param message such as `initial.ownerEmail: must be …` or `toolsJson[0].name: must be …`
 * @returns such as `--owner-email: must be …` or `--tools [0].name: must be …`
 */
export function withOptionOfField(message: string): string {
  const [, remote, name, rest = '', problem] = FIELD.exec(message) ?? []
  if (name === undefined || problem === undefined) return message
  // There is no option: a key on the command line would be visible to other users.
  const isReranker = remote === 'remoteReranker'
  if (name === 'apiKey') return `ALCOVE_${isReranker ? 'RERANKER' : 'EMBEDDING'}_KEY${problem}`
  // `--model` of a command names another model than the one on the server.
  const own = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  const flag = isReranker
    ? flagOf(name === 'baseUrl' ? 'rerankerUrl' : `reranker${own.replace('ApiKey', 'Key')}`)
    : flagOf(...(OPTIONS[name] ?? []), remote === undefined ? name : `embedding${own}`)
  if (flag === undefined) return message
  return `${flag}${rest === '' ? '' : ` ${rest.replace(/^\./, '')}`}${problem.replace(COMPANION, withOption)}`
}

/** Another field that a field needs, such as `only together with userId`. */
const COMPANION = /(?<=\bonly together with )\w+/

function withOption(field: string): string {
  return flagOf(...(OPTIONS[field] ?? []), field) ?? field
}
