/** Runs a BERT model in an embedding thread. */
import runtime, { type InferenceSession } from 'onnxruntime-node'
import { InvalidInputError, ModelError } from '../../src/ports/index.js'
import { type ModelFolder, type Runner, type RunnerInputs, readModelFile, type TokenMatrix } from '../node-kit/index.js'
import { parseTokenizerFile, type SpecialTokenIds } from './tokenizer-file.js'
import { WordPieceTokenizer } from './word-piece-tokenizer.js'

const OUTPUT = 'last_hidden_state'

/** The inputs of a BERT model, by their name. */
const INPUTS: Readonly<Record<string, (matrix: TokenMatrix) => BigInt64Array>> = {
  input_ids: ({ ids }) => ids,
  attention_mask: ({ mask }) => mask,
  token_type_ids: ({ ids }) => new BigInt64Array(ids.length),
}

/** @throws ModelError `ERR_MODEL_UNSUPPORTED`, `ERR_MODEL_MISSING` */
export async function openRunner(model: ModelFolder, session: InferenceSession): Promise<Runner> {
  const problem = findProblem(session)
  if (problem !== undefined) {
    throw new ModelError('ERR_MODEL_UNSUPPORTED', `the model in ${model.folder} cannot be used: ${problem}`)
  }
  const { options, special } = parseTokenizerFile(await readModelFile(model.folder, 'tokenizer.json'))
  // Long runs are already broken in the texts, so longer words are read as the reference reads them.
  const tokenizer = new WordPieceTokenizer({ ...options, longWords: 'unknown' })
  return new OnnxRunner(model, session, tokenizer, special)
}

class OnnxRunner implements Runner {
  readonly paddingId: number
  readonly #tokenizer: WordPieceTokenizer

  constructor(
    private readonly model: ModelFolder,
    private readonly session: InferenceSession,
    tokenizer: WordPieceTokenizer,
    private readonly special: SpecialTokenIds,
  ) {
    this.#tokenizer = tokenizer
    this.paddingId = special.padding
  }

  encode({ kind, inputs, rows }: RunnerInputs): readonly Int32Array[] {
    const { queryPrefix, passagePrefix, windowTokens } = this.model.profile
    const prefix = kind === 'query' ? queryPrefix : passagePrefix
    return inputs.map((input, index) => {
      if (typeof input !== 'string') return input
      const { ids } = this.#tokenizer.encode(prefix + input)
      if (ids.length + this.#tokenizer.specialTokens <= windowTokens) {
        return Int32Array.of(this.special.first, ...ids, this.special.last)
      }
      const problem = `has more tokens than the model's window of ${windowTokens}: shorten it`
      throw new InvalidInputError(`texts[${rows[index]}]`, problem)
    })
  }

  async run(matrix: TokenMatrix): Promise<Float32Array> {
    const feeds = this.session.inputNames.map((name) => [
      name,
      new runtime.Tensor('int64', INPUTS[name]?.(matrix) ?? matrix.ids, matrix.shape),
    ])
    const output = await this.session.run(Object.fromEntries(feeds) as InferenceSession.FeedsType, [OUTPUT])
    return output[OUTPUT]?.data as Float32Array
  }
}

function findProblem({ inputNames, outputNames }: InferenceSession): string | undefined {
  const unknownInput = inputNames.find((name) => !Object.hasOwn(INPUTS, name))
  if (unknownInput !== undefined) return `it needs an input "${unknownInput}", which a BERT model does not have`
  return outputNames.includes(OUTPUT) ? undefined : `it has no output "${OUTPUT}"`
}
