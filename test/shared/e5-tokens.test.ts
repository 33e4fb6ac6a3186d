import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DeviceTokenizer, openTokenizer } from '../../adapters/device/index.js'
import { dataFolder } from './shared-documents.js'

interface Reference {
  readonly items: readonly {
    readonly text: string
    readonly ids: readonly number[]
  }[]
}

const models = dataFolder === undefined ? '' : join(dataFolder, '../models')
const e5 = join(models, 'multilingual-e5-small')
const reference = join(models, 'e5-reference-tokens.json')

/** Joiners inside of emoji are spaces for the library, and unknown tokens for the reference: as many tokens, with other ids. */
const EXCEPTION = 'passage: emoji 😀👨‍👩‍👧 flag 🇫🇮 heart ❤️'

describe.runIf(existsSync(e5) && existsSync(reference))('the tokenizer of multilingual-e5-small', () => {
  let items: Reference['items']
  let tokenizer: DeviceTokenizer
  beforeAll(async () => {
    items = (JSON.parse(readFileSync(reference, 'utf8')) as Reference).items
    tokenizer = await openTokenizer(e5)
  })
  afterAll(async () => {
    await tokenizer.close()
  })

  it('gives the model the tokens of the Rust tokenizer, but for one text', async () => {
    const inputs = await tokenizer.inputs(
      items.map(({ text }) => text),
      { prefix: '', windowTokens: 8_192, isUrgent: false, firstRow: 0, signal: new AbortController().signal },
    )
    const others = items.filter(({ ids }, row) => [...(inputs[row] ?? [])].join() !== [0, ...ids, 2].join())
    expect(items).toHaveLength(135)
    expect(others.map(({ text }) => text)).toEqual([EXCEPTION])
  })

  it('counts at least the tokens that the model reads, but for white space at the end and special tokens', () => {
    const counted = items.filter(({ text }) => !/\s$|<\w+>/.test(text))
    expect(counted.length).toBeGreaterThan(110)
    for (const { text, ids } of counted) {
      const { count, tokens } = tokenizer.split(text)
      expect(tokens.subarray(0, count).reduce((sum, each) => sum + each, 0)).toBe(tokenizer.count(text))
      expect(tokenizer.encode(text).ids.length).toBe(tokenizer.count(text))
      expect(tokenizer.count(text)).toBeGreaterThanOrEqual(ids.length)
    }
  })
})
