/** The options that set fields of the host API, where their names differ. */
const OPTIONS: Readonly<Record<string, string>> = {
  'settings.chunkSizeTokens': '--chunk-size',
  'settings.overlap': '--overlap',
  'settings.embeddingModel': '--model',
  'settings.topN': '--top-n',
  'settings.scoreThreshold': '--score-threshold',
  'settings.searchMode': '--search-mode',
  'settings.findsEarly': '--finds-early',
  baseUrl: '--embedding-url',
  apiKey: 'ALCOVE_EMBEDDING_KEY',
  apiKeyFile: '--embedding-key-file',
  windowTokens: '--embedding-window',
  topN: '--top',
  scoreThreshold: '--score-threshold',
  toolsJson: '--tools',
}

/**
 * Replaces the field at the beginning of a message of the engine by the option that sets it.
 *
 * @param message such as `settings.overlap: must be …`
 * @returns such as `--overlap: must be …`
 */
export function withOptionOfField(message: string): string {
  const [field] = message.split(': ', 1)
  const option = field === undefined ? undefined : OPTIONS[field]
  return field === undefined || option === undefined ? message : `${option}${message.slice(field.length)}`
}
