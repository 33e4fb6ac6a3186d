import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTokenizer } from '../../../../adapters/device/index.js'
import { MemoryEmbeddingModel, MemoryTextExtractor } from '../../../../adapters/memory/index.js'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import type { ExtractedPiece, ExtractionSource, Tokenizer } from '../../../../src/ports/index.js'
import {
  TEXTS_IN_LANGUAGES,
  TEXTS_IN_OTHER_LANGUAGES,
} from '../../../adapters/text-extraction/language/texts-in-languages.js'
import { bundledModel } from '../../../bundled-model.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../../engine/memory-engine.js'

const { en, de, fi, ko, et } = TEXTS_IN_LANGUAGES

function modelOf(id: string, languages: readonly string[]): MemoryEmbeddingModel {
  const similarity = { unrelated: 0.1, related: 0.5, languages }
  return new MemoryEmbeddingModel({ id, fingerprint: `${id}-1`, similarity })
}

/** A model whose profile does not have its scale. */
class UnmeasuredModel extends MemoryEmbeddingModel {
  constructor() {
    super({ id: 'unmeasured', fingerprint: 'unmeasured-1' })
    const { similarity: _, ...profile } = this.profile
    Object.assign(this, { profile })
  }
}

class TellingExtractor extends MemoryTextExtractor {
  constructor(private readonly language: string) {
    super()
  }

  override async *extract(
    source: ExtractionSource,
    options?: { readonly signal?: AbortSignal },
  ): AsyncGenerator<ExtractedPiece> {
    yield* super.extract(source, options)
    yield { text: '', language: this.language }
  }
}

let extractor: WorkerTextExtractor
let memory: MemoryEngine
let contextId: number
beforeEach(async () => {
  extractor = new WorkerTextExtractor()
  memory = await memoryEngine({
    embeddingModels: [modelOf('english', ['en']), modelOf('many', ['en', 'de', 'fi', 'ko']), new UnmeasuredModel()],
    textExtractor: extractor,
  })
  contextId = (await memory.session.contexts.create(NEW_CONTEXT)).id
})
afterEach(async () => {
  await memory.engine.close()
  await extractor.close()
})

async function upload(name: string, text: string) {
  const fileName = await uploadText(memory.session, contextId, name, text)
  const { receipt } = await memory.session.documents.get(fileName)
  return receipt
}

describe('a document in a language that the model does not know', () => {
  it('has a warning in its receipt', async () => {
    expect(await upload('room-fi.txt', fi)).toMatchObject({
      language: 'fi',
      warnings: [
        'the text is Finnish, which the model english does not know: it is found by words alone. A multilingual model such as multilingual-e5-small finds it by meaning too',
      ],
      warningReasons: [{ code: 'language-unknown-to-model', parameters: { language: 'fi', model: 'english' } }],
    })
    expect(await upload('room-de.txt', de)).toMatchObject({
      language: 'de',
      warnings: [expect.stringContaining('German')],
    })
    expect(await upload('room-ko.md', `${ko}\n`.repeat(300))).toMatchObject({
      language: 'ko',
      warnings: [expect.stringContaining('Korean')],
    })
  })

  it('has no warning if nobody knows that the model does not know it', async () => {
    expect(await upload('room.txt', en)).toMatchObject({ language: 'en', warnings: [] })
    // The sample of models has no Estonian.
    expect(await upload('room-de.txt', et)).toMatchObject({ language: 'et', warnings: [] })
    expect(await upload('code.txt', 'x = [1, 2, 3]\n'.repeat(40))).toMatchObject({ language: null, warnings: [] })
    const settings = { embeddingModel: 'unmeasured' }
    contextId = (await memory.session.contexts.create({ ...NEW_CONTEXT, settings })).id
    expect(await upload('room-fi.txt', fi)).toMatchObject({ language: 'fi', warnings: [] })
    expect(await memory.session.contexts.languages(contextId)).toMatchObject({
      languages: [{ language: 'fi', isKnown: null }],
      notice: null,
      advice: null,
    })
  })
})

/** A model whose vocabulary is the English one of the bundled model. */
class EnglishVocabulary extends MemoryEmbeddingModel {
  override async tokenizer(): Promise<Tokenizer> {
    return await openTokenizer(bundledModel)
  }
}

function englishVocabulary(id: string, languages: readonly string[]): EnglishVocabulary {
  const similarity = { unrelated: 0.1, related: 0.5, languages }
  return new EnglishVocabulary({ id, fingerprint: `${id}-1`, windowTokens: 256, similarity })
}

describe('a document in a language that the sample of models does not have', () => {
  const { it: italian, pl, tr, th, uk } = TEXTS_IN_OTHER_LANGUAGES
  async function openVocabularies(models: readonly MemoryEmbeddingModel[]): Promise<MemoryEngine> {
    return await memoryEngine({ embeddingModels: models, textExtractor: new WorkerTextExtractor() })
  }

  it('has a warning if the vocabulary of a model of few languages cuts its words into pieces', async () => {
    const { engine, session } = await openVocabularies([englishVocabulary('english', ['en'])])
    const { id } = await session.contexts.create(NEW_CONTEXT)
    for (const [name, text] of Object.entries({ Italian: italian, Polish: pl, Turkish: tr, Thai: th, Ukrainian: uk })) {
      const fileName = await uploadText(session, id, `${name}.txt`, text)
      const { receipt } = await session.documents.get(fileName)
      expect(receipt?.warnings).toEqual([
        expect.stringContaining(`the text is ${name}, which the model english does not know`) as string,
      ])
    }
    const { languages, notice } = await session.contexts.languages(id)
    expect(languages.map(({ isKnown }) => isKnown)).toEqual([false, false, false, false, false])
    expect(notice).toContain('Italian (1 document)')
    await engine.close()
  })

  it.each([
    ['knows many languages', englishVocabulary('many', ['en', 'de', 'fr', 'es', 'fi', 'ru'])],
    ['has whole words of it', modelOf('whole', ['en'])],
    ['knows no language of the sample', englishVocabulary('none', [])],
  ])('has none if the model %s', async (_, model) => {
    const { engine, session } = await openVocabularies([model])
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const fileName = await uploadText(session, id, 'a.txt', italian)
    expect((await session.documents.get(fileName)).receipt).toMatchObject({ language: 'it', warnings: [] })
    expect(await session.contexts.languages(id)).toMatchObject({ languages: [{ isKnown: null }], notice: null })
    await engine.close()
  })
})

describe('a document that was processed before its model was measured', () => {
  it('has a warning when it is read after the measurement', async () => {
    const settings = { embeddingModel: 'unmeasured' }
    contextId = (await memory.session.contexts.create({ ...NEW_CONTEXT, settings })).id
    expect(await upload('room-fi.txt', fi)).toMatchObject({ language: 'fi', warnings: [] })
    const [document] = await memory.session.documents.list(contextId)
    const measured = { unrelated: 0.1, related: 0.5, languages: ['en'] }
    await memory.storage.transaction(
      async (repositories) =>
        await repositories.settings.put('model.similarity.1.unmeasured-1', JSON.stringify(measured)),
    )
    const { receipt } = await memory.session.documents.get(document?.fileName ?? '')
    expect(receipt).toMatchObject({
      warnings: [expect.stringContaining('the text is Finnish, which the model unmeasured does not know') as string],
      warningReasons: [{ code: 'language-unknown-to-model', parameters: { language: 'fi', model: 'unmeasured' } }],
    })
    expect((await memory.session.contexts.languages(contextId)).notice).toBe(
      'Finnish (1 document): found by words alone',
    )
  })
})

describe('the languages of a context', () => {
  it('are counted, and said once', async () => {
    await upload('room.txt', en)
    for (const name of ['a.txt', 'b.txt']) await upload(name, fi)
    await upload('room-de.txt', de)
    const languages = await memory.session.contexts.languages(contextId)
    expect(languages).toMatchObject({
      embeddingModel: 'english',
      languages: [
        { language: 'fi', name: 'Finnish', documents: 2, isKnown: false },
        { language: 'de', name: 'German', documents: 1, isKnown: false },
        { language: 'en', name: 'English', documents: 1, isKnown: true },
      ],
      windows: 4,
      notice: 'Finnish (2 documents), German (1 document): found by words alone',
    })
    expect(languages).toMatchObject({
      commands: [
        'alcove model download multilingual-e5-small',
        `alcove reindex ${contextId} --model multilingual-e5-small`,
      ],
      downloadMb: 135,
    })
    expect(languages.advice).toMatch(
      /^Run "alcove model download multilingual-e5-small" \(135 MB\), start the server again, then run "alcove reindex 1 --model multilingual-e5-small": it embeds 4 windows, for which the present model took \d+ s\./,
    )
    const { isHealthy, problems, notices } = await memory.engine.administration.verify()
    expect({ isHealthy, problems }).toEqual({ isHealthy: true, problems: [] })
    expect(notices).toEqual([
      {
        code: 'language-unknown',
        subject: { contextId, model: 'english' },
        message: `Context ${contextId}, whose model is english: Finnish (2 documents), German (1 document): found by words alone.`,
        advice: languages.advice,
        languages,
      },
    ])
  })

  it('are known after a change to a model that knows them: nothing is said, and no receipt has the warning', async () => {
    await upload('room-fi.txt', fi)
    await memory.session.contexts.update(contextId, { settings: { embeddingModel: 'many' } })
    await memory.session.contexts.whenReindexed(contextId)
    expect(await memory.session.contexts.languages(contextId)).toMatchObject({
      embeddingModel: 'many',
      languages: [{ language: 'fi', isKnown: true }],
      notice: null,
    })
    const [document] = await memory.session.documents.list(contextId)
    const { receipt } = await memory.session.documents.get(document?.fileName ?? '')
    expect(receipt).toMatchObject({ embeddingModel: 'many', language: 'fi', warnings: [], warningReasons: [] })
    expect((await memory.engine.administration.verify()).notices).toEqual([])
  })

  it.each([
    ['fi-FI', ['fi']],
    ['fi_FI', []],
  ])('are those of a host’s extractor, which says %s', async (tag, languages) => {
    const { engine, session } = await memoryEngine({ textExtractor: new TellingExtractor(tag) })
    const { id } = await session.contexts.create(NEW_CONTEXT)
    await uploadText(session, id, 'a.txt', 'text')
    expect((await session.contexts.languages(id)).languages.map(({ language }) => language)).toEqual(languages)
    await engine.close()
  })

  it('need the right to read the context', async () => {
    await expect(memory.session.contexts.languages(999)).rejects.toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
  })
})
