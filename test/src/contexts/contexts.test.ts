import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ContextChanges, NewContext, Principal, Session } from '../../../src/index.js'
import { collect } from '../../conformance/harness.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

let memory: MemoryEngine
let session: Session

beforeEach(async () => {
  memory = await memoryEngine()
  session = memory.session
})

afterEach(async () => {
  await memory.engine.close()
})

describe('a new context', () => {
  it('has every member of the specification', async () => {
    expect(await session.contexts.create(NEW_CONTEXT)).toEqual({
      id: 1,
      name: 'Handbook',
      description: 'Answer from the staff handbook.',
      caption: 'HR questions',
      userId: memory.engine.owner.userId,
      embeddingModel: 'memory',
      maxSize: 104_857_600,
      topN: 5,
      scoreThreshold: 0,
      chunkSize: 1_000,
      overlap: 0.2,
      toolsJson: '[]',
      starterPrompts: ['What is Handbook about?'],
      shareState: 0,
      deleted: null,
      created: '2026-01-01T00:00:00.000Z',
    })
  })

  it('keeps the given starter prompts, including an empty list', async () => {
    expect((await session.contexts.create({ ...NEW_CONTEXT, starterPrompts: ['Hi?'] })).starterPrompts).toEqual(['Hi?'])
    expect((await session.contexts.create({ ...NEW_CONTEXT, starterPrompts: [] })).starterPrompts).toEqual([])
  })

  it('accepts settings', async () => {
    const settings = {
      maxSizeBytes: 1_000,
      topN: 100,
      scoreThreshold: 1,
      chunkSizeTokens: 16,
      overlap: 0,
      embeddingModel: 'memory',
    }
    expect(await session.contexts.create({ ...NEW_CONTEXT, settings })).toMatchObject({
      maxSize: 1_000,
      topN: 100,
      scoreThreshold: 1,
      chunkSize: 16,
      overlap: 0,
    })
  })

  it('accepts texts of the greatest length, counted in characters', async () => {
    const texts = { name: '👍'.repeat(255), description: 'd'.repeat(100_000), caption: '東'.repeat(1_000) }
    expect(await session.contexts.create({ ...NEW_CONTEXT, ...texts })).toMatchObject(texts)
  })

  it('keeps toolsJson as the same string', async () => {
    const toolsJson =
      ' [ {"id":1,"name":"a","description":"\\\\x \\"y\\"","action":"Run Agent","agentId":2,"extra":null} ] '
    expect((await session.contexts.create({ ...NEW_CONTEXT, toolsJson })).toolsJson).toBe(toolsJson)
  })

  it('accepts toolsJson of exactly 1,048,576 bytes with any content', async () => {
    const toolsJson = toolsJsonOf('東京 \\u0000'.repeat(50_000))
    const filled = toolsJson + ' '.repeat(1_048_576 - Buffer.byteLength(toolsJson))
    expect((await session.contexts.create({ ...NEW_CONTEXT, toolsJson: filled })).toolsJson).toBe(filled)
  })

  const bad: [what: string, change: object, message: string][] = [
    ['no name', { name: undefined }, 'name: is required'],
    ['a blank name', { name: ' \n' }, 'name: must not be empty'],
    ['a name that is a number', { name: 7 }, 'name: must be a string'],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, 'name: must have at most 255 characters'],
    ['a name with U+0000', { name: 'a\0b' }, 'name: must not contain the character U+0000'],
    ['half of a surrogate pair', { name: 'a\ud800' }, 'name: must be well-formed Unicode'],
    ['no description', { description: undefined }, 'description: is required'],
    [
      'a description that is too long',
      { description: 'x'.repeat(100_001) },
      'description: must have at most 100000 characters',
    ],
    ['no caption', { caption: undefined }, 'caption: is required'],
    ['a caption that is too long', { caption: 'x'.repeat(1_001) }, 'caption: must have at most 1000 characters'],
    ['no toolsJson', { toolsJson: undefined }, 'toolsJson: is required'],
    ['toolsJson as an array', { toolsJson: [] }, 'toolsJson: must be a string'],
    [
      'toolsJson of one byte too many',
      { toolsJson: `[]${' '.repeat(1_048_575)}` },
      'toolsJson: must have at most 1048576 bytes in UTF-8',
    ],
    [
      'toolsJson of few characters but many bytes',
      { toolsJson: toolsJsonOf('東'.repeat(349_520)) },
      'toolsJson: must have at most 1048576 bytes in UTF-8',
    ],
    ['a tool that is wrong', { toolsJson: '[{"id":1}]' }, 'toolsJson[0].name: is required'],
    ['starter prompts that are no array', { starterPrompts: 'Hi' }, 'starterPrompts: must be an array'],
    [
      '51 starter prompts',
      { starterPrompts: Array.from({ length: 51 }, () => 'x') },
      'starterPrompts: must have at most 50 elements',
    ],
    [
      'a starter prompt that is too long',
      { starterPrompts: ['x', 'y'.repeat(1_001)] },
      'starterPrompts[1]: must have at most 1000',
    ],
    ['an overlap of 1', { settings: { overlap: 1 } }, 'settings.overlap: must be a number at least 0 and less than 1'],
    [
      'an overlap of 1.5',
      { settings: { overlap: 1.5 } },
      'settings.overlap: must be a number at least 0 and less than 1',
    ],
    [
      'a chunk size of 15',
      { settings: { chunkSizeTokens: 15 } },
      'settings.chunkSizeTokens: must be an integer from 16 to 8192',
    ],
    [
      'a chunk size of 8,193',
      { settings: { chunkSizeTokens: 8_193 } },
      'settings.chunkSizeTokens: must be an integer from 16 to 8192',
    ],
    ['a topN of 0', { settings: { topN: 0 } }, 'settings.topN: must be an integer from 1 to 100'],
    [
      'a threshold above 1',
      { settings: { scoreThreshold: 1.1 } },
      'settings.scoreThreshold: must be a number from 0 to 1',
    ],
  ]
  it.each(bad)('cannot have %s', async (_what, change, message) => {
    const input = { ...NEW_CONTEXT, ...change }
    await expect(session.contexts.create(input)).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
    await expect(session.contexts.create(input)).rejects.toThrow(message)
    expect(await session.contexts.list()).toEqual([])
  })

  it('cannot have a model that the engine lacks', async () => {
    const settings = { embeddingModel: 'other' }
    await expect(session.contexts.create({ ...NEW_CONTEXT, settings })).rejects.toMatchObject({
      code: 'ERR_MODEL_UNKNOWN',
      message: expect.stringContaining('no model named other; known: memory') as string,
    })
  })

  it.each([null, undefined, 'text', 7, []])('cannot come from an input that is not an object: %j', async (input) => {
    await expect(session.contexts.create(input as unknown as NewContext)).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
    })
  })
})

describe('contexts', () => {
  it('are listed in the order of their ids, and can be read one by one', async () => {
    const first = await session.contexts.create(NEW_CONTEXT)
    const second = await session.contexts.create({ ...NEW_CONTEXT, name: 'Second' })
    expect(await session.contexts.list()).toEqual([first, second])
    expect(await session.contexts.get(second.id)).toEqual(second)
  })

  it('keep tools and starter prompts that an update leaves out', async () => {
    const tool = '[{"id":1,"name":"a","description":"b","action":"Run Agent","agentId":2}]'
    const { id } = await session.contexts.create({ ...NEW_CONTEXT, toolsJson: tool, starterPrompts: ['Hi?'] })
    const updated = await session.contexts.update(id, { name: 'New', description: '', caption: '' })
    expect(updated).toMatchObject({
      name: 'New',
      description: '',
      caption: '',
      toolsJson: tool,
      starterPrompts: ['Hi?'],
    })
    const emptied = await session.contexts.update(id, {
      name: 'New',
      description: '',
      caption: '',
      toolsJson: '[]',
      starterPrompts: [],
    })
    expect(emptied).toMatchObject({ toolsJson: '[]', starterPrompts: [] })
    expect(await session.contexts.get(id)).toEqual(emptied)
  })

  it('accept an update with the values that a read returned', async () => {
    const context = await session.contexts.create(NEW_CONTEXT)
    const { name, description, caption, toolsJson, starterPrompts } = context
    const read = { name, description, caption, toolsJson, starterPrompts }
    expect(await session.contexts.update(context.id, read)).toEqual(context)
    // A number of results beside the settings would have no effect.
    const misplaced = session.contexts.update(context.id, { name, topN: 9 } as ContextChanges)
    await expect(misplaced).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'topN' })
  })

  it('change all settings', async () => {
    const { id, name, description, caption } = await session.contexts.create(NEW_CONTEXT)
    const texts = { name, description, caption }
    expect(await session.contexts.update(id, { ...texts, settings: { topN: 9, scoreThreshold: 0.3 } })).toMatchObject({
      topN: 9,
      scoreThreshold: 0.3,
    })
    const settings = { chunkSizeTokens: 100, overlap: 0.1, searchMode: 'keyword' } as const
    expect(await session.contexts.update(id, { ...texts, settings })).toMatchObject({ chunkSize: 100, overlap: 0.1 })
    expect(await session.contexts.settings(id)).toMatchObject({ ...settings, topN: 9, reindexing: null })
    for (const [name, value] of [
      ['chunkSizeTokens', 15],
      ['overlap', 1],
      ['embeddingModel', ''],
    ] as const) {
      const changes = { settings: { [name]: value } } as ContextChanges
      await expect(session.contexts.update(id, changes)).rejects.toMatchObject({ field: `settings.${name}` })
    }
  })

  it('refuse unknown settings, and list the valid ones', async () => {
    const create = session.contexts.create({ ...NEW_CONTEXT, settings: { chunkSize: 10 } as object })
    await expect(create).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      field: 'settings.chunkSize',
      message:
        'settings.chunkSize: unknown option "chunkSize"; expected one of embeddingModel, maxSizeBytes, topN, scoreThreshold, chunkSizeTokens, overlap, searchMode, findsEarly',
    })
    expect(await session.contexts.list()).toEqual([])
    const { id, maxSize } = await session.contexts.create(NEW_CONTEXT)
    const update = session.contexts.update(id, { ...NEW_CONTEXT, settings: { maxSize: 5_000 } as object })
    await expect(update).rejects.toThrow(
      'settings.maxSize: unknown option "maxSize"; expected one of embeddingModel, chunkSizeTokens, overlap, reindexing,',
    )
    expect(await session.contexts.get(id)).toMatchObject({ maxSize })
  })

  it('keep each member that an update leaves out', async () => {
    const context = await session.contexts.create(NEW_CONTEXT)
    const { id } = context
    expect(await session.contexts.update(id, { name: 'Renamed' })).toEqual({ ...context, name: 'Renamed' })
    expect(await session.contexts.update(id, { caption: 'Short', settings: { topN: 3 } })).toEqual({
      ...context,
      name: 'Renamed',
      caption: 'Short',
      topN: 3,
    })
    expect(await session.contexts.update(id, {})).toEqual({ ...context, name: 'Renamed', caption: 'Short', topN: 3 })
    await expect(session.contexts.update(id, { name: '' })).rejects.toThrow('name: must not be empty')
    expect(await session.contexts.get(id)).toMatchObject({ name: 'Renamed' })
  })

  it('can be shared, and made private afterwards', async () => {
    const { id } = await session.contexts.create(NEW_CONTEXT)
    await session.contexts.share(id, { shareState: 1, icon: '👩‍👩‍👧‍👦' })
    expect(await session.contexts.get(id)).toMatchObject({ shareState: 1 })
    await session.contexts.share(id, { shareState: 0 })
    expect(await session.contexts.get(id)).toMatchObject({ shareState: 0 })
    await expect(session.contexts.share(id, { shareState: 2 as 1 })).rejects.toThrow('shareState: must be one of 0, 1')
    await expect(session.contexts.share(id, { shareState: 1, icon: 'ab' })).rejects.toThrow(
      'icon: must be a single character',
    )
  })

  it('that do not exist are not found', async () => {
    const missing = { code: 'ERR_CONTEXT_NOT_FOUND' }
    await expect(session.contexts.get(99)).rejects.toMatchObject(missing)
    await expect(session.contexts.update(99, NEW_CONTEXT)).rejects.toMatchObject(missing)
    await expect(session.contexts.share(99, { shareState: 1 })).rejects.toMatchObject(missing)
    await expect(session.contexts.delete(99)).rejects.toMatchObject(missing)
    for (const id of [0, -1, 1.5, Number.NaN, 2 ** 53, '1']) {
      await expect(session.contexts.get(id as number)).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
    }
  })

  it('are deleted with their documents, vectors and files', async () => {
    const kept = await session.contexts.create(NEW_CONTEXT)
    const { id } = await session.contexts.create(NEW_CONTEXT)
    await uploadText(session, kept.id, 'kept.txt', 'This text is kept.')
    await uploadText(session, id, 'gone.txt', 'This text goes away.')
    await session.contexts.delete(id)
    await expect(session.contexts.get(id)).rejects.toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
    await expect(session.documents.list(id)).rejects.toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
    await memory.engine.whenCleared()
    expect(await memory.vectorIndex.listCollections()).toHaveLength(1)
    expect(await collect(memory.fileStore.list())).toHaveLength(1)
    expect(
      await memory.storage.read(({ documents, contexts }) =>
        Promise.all([documents.listDeleted(), contexts.listDeleted()]),
      ),
    ).toEqual([[], []])
    expect(await session.search(kept.id, 'text')).toHaveLength(1)
  })
})

describe('a context', () => {
  let owner: Principal
  let ada: Session
  let grace: Session
  let stranger: Session

  beforeEach(async () => {
    owner = memory.engine.owner
    const { administration } = memory.engine
    const company = await administration.companies.create({ name: 'Other', parentId: owner.companyId })
    const accounts = await administration.accounts.list()
    const foreign = accounts.find(
      ({ customerId, application }) => customerId === company.id && application === 'assistant',
    )
    const join = async (email: string, companyId: number, accountId: number): Promise<Session> => {
      const { id } = await administration.users.add({ email, companyId })
      return memory.engine.as({ companyId, userId: id, accountId })
    }
    ada = await join('ada@example.com', owner.companyId, owner.accountId)
    grace = await join('grace@example.com', owner.companyId, owner.accountId)
    stranger = await join('stranger@example.com', company.id, foreign?.id ?? 0)
  })

  it('is visible to its creator, to other users once it is shared, and never to another account', async () => {
    const { id } = await ada.contexts.create(NEW_CONTEXT)
    await uploadText(ada, id, 'a.txt', 'Something to find.')
    for (const other of [grace, stranger]) {
      expect(await other.contexts.list()).toEqual([])
      await expect(other.contexts.get(id)).rejects.toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
      await expect(other.search(id, 'something')).rejects.toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
      await expect(other.documents.list(id)).rejects.toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
    }
    await ada.contexts.share(id, { shareState: 1 })
    expect(await grace.contexts.list()).toHaveLength(1)
    expect(await grace.search(id, 'something')).toHaveLength(1)
    expect(await grace.documents.list(id)).toHaveLength(1)
    await expect(stranger.contexts.get(id)).rejects.toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
    expect(await session.contexts.list()).toHaveLength(1)
  })

  it('that is shared is readable by other users, and only its creator and administrators change it', async () => {
    const { id } = await ada.contexts.create(NEW_CONTEXT)
    const uuid = await uploadText(ada, id, 'a.txt', 'Something to find.')
    await ada.contexts.share(id, { shareState: 1 })
    const forbidden = { code: 'ERR_FORBIDDEN' }
    await expect(grace.contexts.update(id, NEW_CONTEXT)).rejects.toMatchObject(forbidden)
    await expect(grace.contexts.delete(id)).rejects.toMatchObject(forbidden)
    await expect(grace.contexts.share(id, { shareState: 0 })).rejects.toMatchObject(forbidden)
    await expect(grace.documents.upload(id, { fileName: 'b.txt', content: Buffer.from('x') })).rejects.toMatchObject(
      forbidden,
    )
    await expect(grace.documents.delete(uuid)).rejects.toMatchObject(forbidden)
    const administrator = memory.engine.as({ ...owner, sight: 'user' })
    expect(await administrator.contexts.update(id, { ...NEW_CONTEXT, name: 'Renamed' })).toMatchObject({
      name: 'Renamed',
    })
  })

  it('that is private is hidden from other users as principals, and visible to the account', async () => {
    await ada.contexts.create(NEW_CONTEXT)
    expect(await memory.engine.as({ ...owner, sight: 'user' }).contexts.list()).toEqual([])
    expect(await memory.engine.as({ ...owner, sight: 'account' }).contexts.list()).toHaveLength(1)
  })

  it('that is hidden hides its documents too', async () => {
    const { id } = await ada.contexts.create(NEW_CONTEXT)
    const uuid = await uploadText(ada, id, 'a.txt', 'Something to find.')
    for (const other of [grace, stranger]) {
      await expect(other.documents.get(uuid)).rejects.toMatchObject({ code: 'ERR_DOCUMENT_NOT_FOUND' })
      await expect(other.documents.delete(uuid)).rejects.toMatchObject({ code: 'ERR_DOCUMENT_NOT_FOUND' })
      await expect(other.documents.open(uuid)).rejects.toMatchObject({ code: 'ERR_DOCUMENT_NOT_FOUND' })
    }
  })
})

/** One tool with this description, which is JSON already. */
function toolsJsonOf(description: string): string {
  return `[{"id":1,"name":"weather","description":"${description}","action":"Run Agent","agentId":7}]`
}
