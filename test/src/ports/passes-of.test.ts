import fc from 'fast-check'
import { expect, it } from 'vitest'
import { passesOf } from '../../../src/ports/index.js'

const dense = fc.uniqueArray(fc.integer({ min: 1, max: 300 }), { maxLength: 200 })
/** Ids that no document has. */
const odd = fc.array(fc.constantFrom(0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 7, 7), { maxLength: 4 })
const sparse = fc.uniqueArray(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), { maxLength: 50 })

it('a filter passes the documents that it lists, or all others, however far apart their ids are', () => {
  fc.assert(
    fc.property(fc.oneof(dense, sparse), odd, fc.array(fc.integer({ min: -2, max: 400 })), (ids, oddIds, others) => {
      const listed = [...ids, ...oddIds]
      const [isIn, isOut] = [passesOf({ only: listed }), passesOf({ except: listed })]
      for (const id of [...listed, ...others, Number.MAX_SAFE_INTEGER]) {
        expect(isIn(id)).toBe(listed.includes(id))
        expect(isOut(id)).toBe(!listed.includes(id))
      }
    }),
  )
})
