import { describe, expect, it } from 'vitest'
import { memoryEngine } from './memory-engine.js'

const GROUPS = [
  'contexts',
  'documents',
  'users',
  'permissions',
  'companies',
  'roles',
  'apiKeys',
  'destinations',
  'deliveries',
  'audit',
  'operator',
] as const

describe('a session', () => {
  it('lists all groups of operations, and gives the same group each time', async () => {
    const { engine } = await memoryEngine()
    const session = engine.as(engine.owner)
    expect(Object.keys(session)).toEqual(expect.arrayContaining([...GROUPS]))
    for (const group of GROUPS) expect(session[group]).toBe(session[group])
    await engine.close()
  })

  it('keeps its operations in a copy', async () => {
    const { engine } = await memoryEngine()
    const copy = { ...engine.as(engine.owner) }
    const { id } = await copy.contexts.create({ name: 'Notes', description: '', caption: '', toolsJson: '[]' })
    expect(await copy.search(id, 'lamp')).toEqual([])
    await engine.close()
  })
})
