import { describe, expect, it } from 'vitest'
import { InvalidInputError } from '../../../src/kernel/errors.js'
import {
  choiceSchema,
  fractionSchema,
  integerSchema,
  listSchema,
  objectSchema,
  textSchema,
  utf8Schema,
  validate,
  withinField,
} from '../../../src/kernel/validate.js'
import { personNameSchema } from '../../../src/tenancy/users/identity.js'

const SCHEMA = objectSchema({
  text: textSchema({ min: 1, max: 5, isLine: true }).optional(),
  secret: textSchema({ min: 3, max: 5 }).optional(),
  bytes: utf8Schema({ maxBytes: 3 }).optional(),
  id: integerSchema({ min: 1 }).optional(),
  count: integerSchema({ min: 1, max: 9 }).optional(),
  whole: integerSchema().optional(),
  share: fractionSchema({ min: 0, max: 1 }).optional(),
  overlap: fractionSchema({ min: 0, max: 1, isBelow: true }).optional(),
  mode: choiceSchema(['a', 'b']).optional(),
  list: listSchema(integerSchema(), 2).optional(),
  name: personNameSchema().optional(),
  needed: integerSchema(),
})

function refusalOf(input: object): InvalidInputError {
  try {
    validate(SCHEMA, { needed: 1, ...input })
  } catch (error) {
    if (error instanceof InvalidInputError) return error
  }
  throw new Error('the input is valid')
}

describe('the refusal of an input', () => {
  it.each([
    [{ text: '' }, 'text', 'empty', {}],
    [{ text: 'a\nb' }, 'text', 'not-one-line', {}],
    [{ text: 'abcdef' }, 'text', 'too-long', { max: 5 }],
    [{ text: 'a\0' }, 'text', 'null-character', {}],
    [{ text: '\uD800' }, 'text', 'half-character', {}],
    [{ secret: 'ab' }, 'secret', 'too-short', { min: 3 }],
    [{ bytes: 'éé' }, 'bytes', 'too-many-bytes', { max: 3 }],
    [{ id: 0 }, 'id', 'integer-too-small', { min: 1 }],
    [{ count: 10 }, 'count', 'integer-out-of-range', { min: 1, max: 9 }],
    [{ whole: 0.5 }, 'whole', 'not-an-integer', {}],
    [{ share: 2 }, 'share', 'number-out-of-range', { min: 0, max: 1 }],
    [{ overlap: 1 }, 'overlap', 'number-not-below', { min: 0, max: 1 }],
    [{ mode: 'c' }, 'mode', 'not-in-list', { values: '"a", "b"' }],
    [{ list: [1, 2, 3] }, 'list', 'too-many-elements', { max: 2 }],
    [{ list: [1, 0.5] }, 'list[1]', 'not-an-integer', {}],
    [{ name: '<i>' }, 'name', 'angle-bracket', {}],
    [{ name: 'a\u202Eb' }, 'name', 'text-direction', {}],
    [{ name: 'evil.com' }, 'name', 'web-address', {}],
    [{ needed: undefined }, 'needed', 'required', {}],
  ])('has a reason with the values of its sentence: %j', (input, field, code, parameters) => {
    expect(refusalOf(input)).toMatchObject({ field, reason: { code, parameters } })
  })

  it('has no reason for a rule that only programs break', () => {
    expect(refusalOf({ text: 1 }).reason).toBeUndefined()
    expect(refusalOf({ other: 1 }).reason).toBeUndefined()
  })

  it('keeps its reason within another field', () => {
    expect(withinField('limits', refusalOf({ count: 10 }))).toMatchObject({
      field: 'limits.count',
      reason: { code: 'integer-out-of-range', parameters: { min: 1, max: 9 } },
    })
  })
})
