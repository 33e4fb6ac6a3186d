import { expect, it } from 'vitest'
import { lazyHandler } from '../../../../adapters/cli/engines/lazy-handler.js'

it('a handler whose load failed is loaded again at the next request, and once from then on', async () => {
  let loads = 0
  const handle = lazyHandler(async () => {
    loads += 1
    if (loads === 1) throw new Error('EMFILE: too many open files')
    return async (name: string) => `hello ${name}`
  })
  await expect(handle('Ada')).rejects.toThrow('EMFILE')
  expect(await handle('Ada')).toBe('hello Ada')
  expect(await handle('Eve')).toBe('hello Eve')
  expect(loads).toBe(2)
})
