/** Runs a model of `@xenova/transformers` in an embedding thread. The texts are encoded already. */
import { ModelError } from '../../src/ports/index.js'
import { type ModelFolder, type Runner, type RunnerInputs, readModelFile, type TokenMatrix } from '../node-kit/index.js'
import { type Library, type LibraryModel, loadModels, silenceConsole } from './library.js'

/** The names of the vectors of tokens, in the exports of different tools. */
const OUTPUTS = ['last_hidden_state', 'token_embeddings']
/** The inputs that the library makes of tokens. */
const INPUTS = new Set(['input_ids', 'attention_mask', 'token_type_ids'])

interface Session {
  readonly inputNames: readonly string[]
  readonly outputNames: readonly string[]
}

/** @throws ModelError `ERR_MODEL_UNSUPPORTED`, `ERR_MODEL_MISSING` */
export async function openRunner(model: ModelFolder, session: Session): Promise<Runner> {
  silenceConsole()
  const unknown = session.inputNames.find((name) => !INPUTS.has(name))
  if (unknown !== undefined) throw unsupported(model, `it needs an input "${unknown}"`)
  const output = OUTPUTS.find((name) => session.outputNames.includes(name))
  if (output === undefined) throw unsupported(model, `it has no output "${OUTPUTS.join('" or "')}"`)
  const library = await loadModels()
  const config = JSON.parse((await readModelFile(model.folder, 'config.json')).toString('utf8')) as {
    readonly pad_token_id?: number | null
  }
  const run = new library.PreTrainedModel(config, session)
  return new XenovaRunner(library, run, output, config.pad_token_id ?? 0)
}

class XenovaRunner implements Runner {
  readonly paddingId: number

  constructor(
    private readonly library: Library,
    private readonly model: LibraryModel,
    private readonly output: string,
    paddingId: number,
  ) {
    this.paddingId = paddingId
  }

  encode({ inputs }: RunnerInputs): readonly Int32Array[] {
    return inputs.filter((input) => typeof input !== 'string')
  }

  async run({ ids, mask, shape }: TokenMatrix): Promise<Float32Array> {
    const { Tensor } = this.library
    const output = await this.model({
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', mask, shape),
    })
    return output[this.output]?.data as Float32Array
  }
}

function unsupported({ folder }: ModelFolder, reason: string): ModelError {
  return new ModelError(
    'ERR_MODEL_UNSUPPORTED',
    `the model in ${folder} cannot be used: ${reason}; use a model for feature extraction`,
  )
}
