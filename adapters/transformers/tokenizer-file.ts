import { z } from 'zod'
import { ModelError } from '../../src/ports/index.js'
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
    vocab: z.record(z.string(), z.int()),
  }),
})

/** The ids that a BERT model puts around its input. */
export interface SpecialTokenIds {
  readonly first: number
  readonly last: number
  readonly padding: number
}

/**
 * Reads a `tokenizer.json` of Hugging Face tokenizers. Truncation and padding
 * that it may declare are left out: the engine makes its own windows.
 *
 * @throws ModelError `ERR_MODEL_UNSUPPORTED` for any tokenizer but BERT's WordPiece
 */
export function parseTokenizerFile(text: string): {
  readonly options: WordPieceTokenizerOptions
  readonly special: SpecialTokenIds
} {
  const parsed = TOKENIZER_FILE.safeParse(JSON.parse(text))
  if (!parsed.success) {
    throw new ModelError(
      'ERR_MODEL_UNSUPPORTED',
      'the tokenizer.json of the model is not BERT WordPiece, which is the kind that can be read',
    )
  }
  const { model, normalizer, added_tokens: addedTokens } = parsed.data
  const idOf = (token: string): number => {
    const id = model.vocab[token]
    if (id !== undefined) return id
    throw new ModelError('ERR_MODEL_UNSUPPORTED', `the vocabulary of the model has no ${token}`)
  }
  const options = {
    vocabulary: model.vocab,
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
