import { z } from 'zod'
import { ModelError } from '../../src/ports/index.js'
import { runAtOnce, type Steps } from './steps.js'
import type { WordPieceTokenizerOptions } from './word-piece-tokenizer.js'

const TOKENIZER_FILE = z.object({
  added_tokens: z.array(z.object({ id: z.int(), content: z.string().min(1) })),
  normalizer: z.object({
    type: z.literal('BertNormalizer'),
    clean_text: z.boolean(),
    handle_chinese_chars: z.boolean(),
    strip_accents: z.boolean().nullable(),
    lowercase: z.boolean(),
  }),
  pre_tokenizer: z.object({ type: z.literal('BertPreTokenizer') }),
  model: z.object({
    type: z.literal('WordPiece').default('WordPiece'),
    unk_token: z.string(),
    continuing_subword_prefix: z.string(),
    max_input_chars_per_word: z.int().positive(),
    // Entries are checked one by one: a schema for tens of thousands of them takes too long.
    vocab: z.custom<Readonly<Record<string, unknown>>>((value) => typeof value === 'object' && value !== null),
  }),
})

/** The ids of the tokens that a BERT model puts around its input. */
export interface SpecialTokenIds {
  readonly first: number
  readonly last: number
  readonly padding: number
}

/** The content of a `tokenizer.json`. */
interface TokenizerFile {
  readonly options: WordPieceTokenizerOptions
  readonly special: SpecialTokenIds
}

const PRE_TOKENIZER = /"pre_tokenizer"\s*:\s*\{\s*"type"\s*:\s*"BertPreTokenizer"\s*\}/
const NORMALIZER = /"normalizer"\s*:\s*\{\s*"type"\s*:\s*"BertNormalizer"/
const OTHER_MODEL = /"model"\s*:\s*\{\s*"type"\s*:\s*"(?!WordPiece")/

/**
 * True if a `tokenizer.json` is BERT's WordPiece. It looks for the names of the parts, because parsing a file with
 * hundreds of thousands of tokens would block the event loop. Text in a vocabulary has escaped quotes.
 */
export function isBertWordPiece(file: Buffer): boolean {
  const text = file.toString('latin1')
  return PRE_TOKENIZER.test(text) && NORMALIZER.test(text) && !OTHER_MODEL.test(text)
}

/** The number of vocabulary entries that one step checks: less than a millisecond. */
const ENTRIES_PER_STEP = 1_000

/**
 * Reads a `tokenizer.json` of Hugging Face tokenizers. Truncation and padding in it are ignored, because the engine
 * makes its own windows.
 *
 * @throws ModelError `ERR_MODEL_UNSUPPORTED` for any tokenizer but BERT's WordPiece
 */
export function* readTokenizerFile(file: Buffer | string): Steps<TokenizerFile> {
  const text = typeof file === 'string' ? file : file.toString('utf8')
  yield
  const json: unknown = JSON.parse(text)
  yield
  const parsed = TOKENIZER_FILE.safeParse(json)
  if (!parsed.success) throw notWordPieceError()
  yield
  const { model, normalizer, added_tokens: addedTokens } = parsed.data
  const vocabulary = yield* checkVocabulary(model.vocab)
  const idOf = (token: string): number => {
    const id = vocabulary[token]
    if (id !== undefined) return id
    throw new ModelError('ERR_MODEL_UNSUPPORTED', `the vocabulary of the model has no token ${token}: use a BERT model`)
  }
  const options = {
    vocabulary,
    unknownToken: model.unk_token,
    continuingPrefix: model.continuing_subword_prefix,
    maxWordCharacters: model.max_input_chars_per_word,
    normalizer: {
      lowercase: normalizer.lowercase,
      stripAccents: normalizer.strip_accents ?? normalizer.lowercase,
      handleChineseChars: normalizer.handle_chinese_chars,
      cleanText: normalizer.clean_text,
    },
    addedTokens: Object.fromEntries(addedTokens.map(({ content, id }) => [content, id])),
    specialTokens: 2,
  }
  return { options, special: { first: idOf('[CLS]'), last: idOf('[SEP]'), padding: idOf('[PAD]') } }
}

/** Like {@link readTokenizerFile}, but in one step. */
export function parseTokenizerFile(file: Buffer | string): TokenizerFile {
  return runAtOnce(readTokenizerFile(file))
}

/** Checks that all ids are whole numbers. */
function* checkVocabulary(vocabulary: Readonly<Record<string, unknown>>): Steps<Readonly<Record<string, number>>> {
  const pieces = Object.keys(vocabulary)
  for (const [index, piece] of pieces.entries()) {
    if (!Number.isSafeInteger(vocabulary[piece])) throw notWordPieceError()
    if (index % ENTRIES_PER_STEP === 0) yield
  }
  return vocabulary as Readonly<Record<string, number>>
}

function notWordPieceError(): ModelError {
  return new ModelError(
    'ERR_MODEL_UNSUPPORTED',
    'the tokenizer.json of the model is not BERT WordPiece: use a model with a BERT WordPiece tokenizer',
  )
}
