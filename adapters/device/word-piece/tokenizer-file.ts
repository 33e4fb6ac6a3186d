import { z } from 'zod'
import { ModelError, TimeSlice } from '../../../src/ports/index.js'
import type { NormalizerOptions } from './code-points.js'
import { WordPieceVocabulary } from './word-piece-vocabulary.js'

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

/** The content of a `tokenizer.json`. */
export interface TokenizerFile {
  readonly vocabulary: WordPieceVocabulary
  /** The longest word, in code points after normalising, that WordPiece cuts into pieces. */
  readonly maxWordCharacters: number
  readonly normalizer: NormalizerOptions
  /** Tokens such as `[SEP]` that the text may contain literally. */
  readonly addedTokens: Readonly<Record<string, number>>
  /** The ids of the tokens that a BERT model puts around its input. */
  readonly special: { readonly first: number; readonly last: number }
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

/**
 * Reads a `tokenizer.json` of Hugging Face tokenizers. Truncation and padding in it are ignored, because the engine
 * makes its own windows.
 *
 * @throws ModelError `ERR_MODEL_UNSUPPORTED` for any tokenizer but BERT's WordPiece
 */
export async function readTokenizerFile(file: Buffer): Promise<TokenizerFile> {
  const slice = new TimeSlice()
  const json: unknown = JSON.parse(file.toString('utf8'))
  await slice.pauseIfOver()
  const parsed = TOKENIZER_FILE.safeParse(json)
  if (!parsed.success) throw notWordPieceError()
  const { model, normalizer, added_tokens: addedTokens } = parsed.data
  const { unk_token: unknownToken, continuing_subword_prefix: continuingPrefix } = model
  const vocabulary = await WordPieceVocabulary.build(model.vocab, unknownToken, continuingPrefix, slice)
  if (vocabulary === undefined) throw notWordPieceError()
  const idOf = (token: string): number => {
    const id = vocabulary.idOf(token)
    if (id !== undefined) return id
    throw new ModelError('ERR_MODEL_UNSUPPORTED', `the vocabulary of the model has no token ${token}: use a BERT model`)
  }
  return {
    vocabulary,
    maxWordCharacters: model.max_input_chars_per_word,
    normalizer: {
      lowercase: normalizer.lowercase,
      stripAccents: normalizer.strip_accents ?? normalizer.lowercase,
      handleChineseChars: normalizer.handle_chinese_chars,
      cleanText: normalizer.clean_text,
    },
    addedTokens: Object.fromEntries(addedTokens.map(({ content, id }) => [content, id])),
    special: { first: idOf('[CLS]'), last: idOf('[SEP]') },
  }
}

function notWordPieceError(): ModelError {
  return new ModelError(
    'ERR_MODEL_UNSUPPORTED',
    'the tokenizer.json of the model is not BERT WordPiece: use a model with a BERT WordPiece tokenizer',
  )
}
