import { describe, expect, it } from 'vitest'
import { LruMap } from '../../../src/kernel/lru-map.js'

describe('LruMap', () => {
  it('drops the entry that was set or read least recently', () => {
    const map = new LruMap<string, number>(2)
    map.set('a', 1)
    map.set('b', 2)
    expect(map.get('a')).toBe(1)
    map.set('c', 3)
    expect(map.get('b')).toBeUndefined()
    map.set('a', 4)
    map.set('d', 5)
    expect([map.get('a'), map.get('c'), map.get('d')]).toEqual([4, undefined, 5])
  })

  it('has room again after a deletion', () => {
    const map = new LruMap<string, number>(1)
    map.set('a', 0)
    map.delete('a')
    expect(map.get('a')).toBeUndefined()
    map.set('b', 0)
    expect(map.get('b')).toBe(0)
  })
})
