import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface ReferenceTokens {
  readonly items: readonly {
    readonly text: string
    readonly ids: readonly number[]
    readonly offsetsUtf16: readonly (readonly [number, number])[]
  }[]
}

/** Texts with their tokens, by the reference implementation of the bundled model's tokenizer. */
export const referenceTokens = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/reference-tokens.json'), 'utf8'),
) as ReferenceTokens
