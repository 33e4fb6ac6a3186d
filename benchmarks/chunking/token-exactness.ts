import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { WorkerTextExtractor } from '../../dist/adapters/text-extraction/index.js'
import { chunkText } from '../../dist/src/index.js'
import { ExtractionError, type Tokenizer } from '../../dist/src/ports/index.js'
import { sharedData } from '../harness/shared-data.js'
import { openReferenceTokenizer } from './reference-tokenizer.js'

export interface TokenExactness {
  readonly lines: {
    readonly files: number
    /** Files with extracted text, such as PDFs. */
    readonly filesExtracted: number
    /** Damaged files, scans and similar files. */
    readonly filesWithoutText: number
    readonly linesCompared: number
    /**
     * Lines with a word of more than 100 characters. The reference reads such a word as one unknown token, and the
     * engine cuts it. So their tokens must differ.
     */
    readonly linesLeftOut: number
    /** Lines with other tokens than the reference. */
    readonly linesThatDiffer: number
    readonly tokens: number
  }
  readonly chunkings: readonly {
    readonly chunkSizeTokens: number
    readonly overlap: number
    readonly chunks: number
    /** Chunks with more tokens than allowed. */
    readonly tooLarge: number
  }[]
}

const TEXTS = /\.(txt|md|csv|tsv|json|jsonl|xml|native|qry|gz)$/
const DOCUMENTS = /\.(pdf|docx|doc)$/
/** BERT's words end at white space, at ASCII punctuation and signs, and around each Chinese character. */
const LONG_WORD = /[^\s\p{P}$+<=>^`|~\p{Script=Han}]{101,}/u
const LINES_AT_ONCE = 2_000
const CHUNKINGS = [
  { chunkSizeTokens: 200, overlap: 0.2 },
  { chunkSizeTokens: 1_000, overlap: 0.2 },
]

/**
 * Compares the tokens of all texts of the shared data, and of its documents, with the reference tokenizer, line by
 * line. Also cuts the texts into chunks, and counts chunks that are too large.
 *
 * @returns undefined without the shared data, or without the reference
 */
export async function tokenExactness(tokenizer: Tokenizer): Promise<TokenExactness | undefined> {
  const folder = sharedData()
  const exact = await openReferenceTokenizer()
  if (folder === undefined || exact === undefined) return undefined
  const lines = { linesCompared: 0, linesLeftOut: 0, linesThatDiffer: 0, tokens: 0 }
  const chunkings = CHUNKINGS.map((options) => ({ ...options, chunks: 0, tooLarge: 0 }))
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const paths = all.filter((path) => TEXTS.test(path) || DOCUMENTS.test(path))
  const files = { files: paths.length, filesExtracted: 0, filesWithoutText: 0 }
  const extractor = new WorkerTextExtractor()
  for (const path of paths) {
    const text = await textOf(join(folder, path), extractor)
    if (DOCUMENTS.test(path)) files[text === '' ? 'filesWithoutText' : 'filesExtracted'] += 1
    for (const chunking of chunkings) {
      const { chunkSizeTokens, overlap } = chunking
      for (const { text: chunk } of chunkText(text, { tokenizer, chunkSizeTokens, overlap })) {
        chunking.chunks += 1
        if (tokenizer.count(chunk) > chunkSizeTokens) chunking.tooLarge += 1
      }
    }
    const whole = text.split('\n').filter((line) => line !== '')
    const compared = whole.filter((line) => !LONG_WORD.test(line))
    lines.linesCompared += compared.length
    lines.linesLeftOut += whole.length - compared.length
    for (let at = 0; at < compared.length; at += LINES_AT_ONCE) {
      const some = compared.slice(at, at + LINES_AT_ONCE)
      const encodings = await exact.encode(some)
      for (const [index, line] of some.entries()) {
        const expected = encodings[index] ?? []
        const { ids } = tokenizer.encode(line)
        lines.tokens += ids.length
        const isSame = ids.length === expected.length && expected.every((id, place) => id === ids[place])
        if (!isSame || tokenizer.count(line) !== expected.length) lines.linesThatDiffer += 1
      }
    }
  }
  await extractor.close()
  return { lines: { ...files, ...lines }, chunkings }
}

/** Empty if the file cannot be read. The extraction benchmark counts such files. */
async function textOf(path: string, extractor: WorkerTextExtractor): Promise<string> {
  if (!DOCUMENTS.test(path)) {
    const bytes = readFileSync(path)
    return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  }
  const source = { fileName: path, sizeBytes: statSync(path).size, open: () => createReadStream(path) }
  let text = ''
  try {
    for await (const piece of extractor.extract(source)) text += piece.text
    return text
  } catch (error) {
    if (!(error instanceof ExtractionError)) throw error
    return ''
  }
}
