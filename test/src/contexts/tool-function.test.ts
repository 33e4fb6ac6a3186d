import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  readToolCall,
  type Tool,
  type ToolParameter,
  type ToolValue,
  toChatTool,
  toJsonSchema,
  toolsOf,
} from '../../../src/index.js'
import { sized } from '../../full-form.js'

const BOOK: Tool = {
  id: 1,
  name: 'book_room',
  description: 'Books a meeting room.',
  action: 'Run Agent',
  agentId: 7,
  parameters: [
    { paramName: 'seats', type: 'integer', required: true, description: 'Number of seats' },
    { paramName: 'Größe in qm', type: 'string', required: false, description: 'small or large' },
    { paramName: '日付', type: 'string', required: true, description: 'the day' },
    { paramName: 'hasScreen', type: 'boolean', required: false, description: 'with a screen' },
  ],
}
const PLAIN: Tool = { id: 2, name: 'ping', description: 'Says pong.', action: 'Run Agent', agentId: 8 }
const TOOLS = [BOOK, PLAIN]
/** An object lists its second name first. */
const NUMBERED = ['__proto__', '0'].map((paramName): ToolParameter => {
  return { paramName, type: 'string', required: paramName !== '0', description: '' }
})

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'a b', 'a-b'),
)
const parameter: fc.Arbitrary<ToolParameter> = fc.record({
  paramName: text.filter((name) => name.trim() !== ''),
  type: fc.constantFrom('string', 'integer', 'boolean'),
  required: fc.boolean(),
  description: text,
})
const tool: fc.Arbitrary<Tool> = fc.record(
  {
    id: fc.maxSafeInteger(),
    name: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/),
    description: text,
    action: fc.constant('Run Agent' as const),
    agentId: fc.maxSafeInteger(),
    parameters: fc.uniqueArray(parameter, { selector: ({ paramName }) => paramName, maxLength: 12 }),
  },
  { requiredKeys: ['id', 'name', 'description', 'action', 'agentId'] },
)
const toolsArbitrary = fc
  .uniqueArray(tool, { selector: ({ name }) => name, maxLength: 6 })
  .map((tools) => tools.map((one, id) => ({ ...one, id })))

describe('toolsOf', () => {
  it('reads the tools of a context, with members that the specification does not name', () => {
    const toolsJson = JSON.stringify([{ ...BOOK, icon: '📅' }, PLAIN])
    expect(toolsOf({ toolsJson })).toEqual([{ ...BOOK, icon: '📅' }, PLAIN])
    expect(toolsOf({ toolsJson: '[]' })).toEqual([])
    expect(() => toolsOf({ toolsJson: '[{}]' })).toThrow('toolsJson[0].id: is required')
  })

  it('reads what a host writes, for any tools', () => {
    fc.assert(
      fc.property(toolsArbitrary, (tools) => {
        const toolsJson = JSON.stringify(tools)
        expect(JSON.stringify(toolsOf({ toolsJson }).map((one) => sorted(one)))).toBe(
          JSON.stringify(tools.map((one) => sorted(one))),
        )
      }),
      { numRuns: sized(50, 2_000) },
    )
  })
})

describe('toJsonSchema', () => {
  it('gives the function that the APIs of models take', () => {
    expect(toJsonSchema(BOOK)).toEqual({
      name: 'book_room',
      description: 'Books a meeting room.',
      parameters: {
        type: 'object',
        properties: {
          seats: { type: 'integer', description: 'Number of seats' },
          Gro_e_in_qm: { type: 'string', description: 'Größe in qm: small or large' },
          parameter_3: { type: 'string', description: '日付: the day' },
          hasScreen: { type: 'boolean', description: 'with a screen' },
        },
        required: ['seats', 'parameter_3'],
        additionalProperties: false,
      },
    })
    expect(toChatTool(PLAIN)).toEqual({
      type: 'function',
      function: {
        name: 'ping',
        description: 'Says pong.',
        parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
      },
    })
  })

  it('gives each parameter a key of its own, and a legal name its own key', () => {
    const names = ['a b', 'a_b', 'a?b', 'a_b_2', '__proto__', 'proto', 'constructor']
    const parameters = names.map((paramName): ToolParameter => ({ ...parameterOf('string'), paramName }))
    expect(Object.keys(toJsonSchema({ ...PLAIN, parameters }).parameters.properties)).toEqual([
      'a_b_3',
      'a_b',
      'a_b_4',
      'a_b_2',
      'proto_2',
      'proto',
      'constructor_2',
    ])
  })

  it('gives a valid schema with legal names for every tool that the engine accepts; the values come back', () => {
    const validators = [new Ajv({ strict: true }), new Ajv2020({ strict: true })]
    fc.assert(
      fc.property(
        toolsArbitrary,
        fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
        fc.integer(),
        (given, choices, number) => {
          const tools = toolsOf({ toolsJson: JSON.stringify(given) })
          const functions = tools.map((one) => toJsonSchema(one))
          expect(new Set(functions.map(({ name }) => name)).size).toBe(tools.length)
          for (const [index, { name, parameters }] of functions.entries()) {
            const ofTool = tools[index]?.parameters ?? []
            const keys = Object.keys(parameters.properties)
            for (const legal of [name, ...keys]) expect(legal).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
            expect(new Set(keys).size).toBe(ofTool.length)

            // Values that the model gives by the schema reach the agent by the names of the tool.
            const chosen = ofTool.map(({ required }, at) => required || choices[at] === true)
            const values = ofTool.map(({ type }) => valueOf(type, number))
            // An object lists keys like "0" before all others: the description tells whose key it is.
            const keyOf = ({ paramName, description }: ToolParameter): string =>
              keys.find((key) => key === paramName) ??
              keys.find((key) => parameters.properties[key]?.description === `${paramName}: ${description}`) ??
              'no key'
            const pairs = ofTool.map((one, at): [string, ToolValue | undefined] => [keyOf(one), values[at]])
            const args = Object.fromEntries(pairs.filter((_, at) => chosen[at]))
            const expected = ofTool
              .map(({ paramName }, at) => [paramName, values[at]] as const)
              .filter((_, at) => chosen[at])
            for (const validator of validators) {
              const validate = validator.compile(parameters)
              expect(validate(args), validator.errorsText(validate.errors)).toBe(true)
              expect(validate({ ...args, 'not an argument': 1 })).toBe(false)
            }
            const call = readToolCall(tools, { name, arguments: JSON.stringify(args) })
            expect(new Map(Object.entries(call.parameters))).toEqual(new Map(expected))
            expect(call.agentId).toBe(tools[index]?.agentId)
          }
        },
      ),
      {
        numRuns: sized(50, 2_000),
        examples: [[[{ ...PLAIN, parameters: NUMBERED }], Array.from({ length: 12 }, () => false), 0]],
      },
    )
  })

  it('gives 5,000 parameters with one readable name their keys at once', () => {
    const parameters = Array.from({ length: 5_000 }, (_, number): ToolParameter => {
      return { ...parameterOf('string'), paramName: `a${String.fromCodePoint(0x4e00 + number)}` }
    })
    const keys = Object.keys(toJsonSchema({ ...PLAIN, parameters }).parameters.properties)
    expect(new Set(keys).size).toBe(5_000)
    expect(keys.at(-1)).toBe('a_5000')
  })
})

describe('readToolCall', () => {
  it('turns the arguments of a call into the values of the agent', () => {
    const args = { seats: 4, Gro_e_in_qm: null, parameter_3: '2026-11-27' }
    for (const given of [args, JSON.stringify(args)]) {
      expect(readToolCall(TOOLS, { name: 'book_room', arguments: given })).toEqual({
        tool: BOOK,
        agentId: 7,
        parameters: { seats: 4, 日付: '2026-11-27' },
      })
    }
    for (const given of ['', ' ', '{}', {}, undefined, null]) {
      expect(readToolCall(TOOLS, { name: 'ping', arguments: given }).parameters).toEqual({})
    }
  })

  const valid = { seats: 4, parameter_3: 'today' }
  it.each<[what: string, name: string, args: unknown, message: string]>([
    ['an unknown tool', 'fly', {}, 'name: unknown tool "fly"; expected book_room, ping'],
    ['broken JSON', 'ping', '{"a":', 'arguments: must be the JSON of an object; it is not valid JSON'],
    ['an array', 'ping', [], 'arguments: must be an object, or the JSON of an object'],
    ['a missing value', 'book_room', { seats: 4 }, 'arguments.parameter_3: is required'],
    ['null for a required value', 'book_room', { ...valid, seats: null }, 'arguments.seats: must be an integer'],
    ['a number as a string', 'book_room', { ...valid, seats: '4' }, 'arguments.seats: must be an integer'],
    ['a fraction', 'book_room', { ...valid, seats: 4.5 }, 'arguments.seats: must be an integer'],
    ['a text as a boolean', 'book_room', { ...valid, hasScreen: 'no' }, 'arguments.hasScreen: must be true or false'],
    ['an unknown argument', 'ping', { loud: true }, 'arguments.loud: unknown argument of ping; expected none'],
    ['an inherited name', 'ping', '{"__proto__": 1}', 'arguments.__proto__: unknown argument of ping; expected none'],
  ])('refuses %s, and says what the model should give', (_what, name, args, message) => {
    expect(() => readToolCall(TOOLS, { name, arguments: args })).toThrow(message)
    expect(() => readToolCall(TOOLS, { name, arguments: args })).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_INPUT' }),
    )
  })
})

function parameterOf(type: ToolParameter['type']): ToolParameter {
  return { paramName: 'x', type, required: true, description: '' }
}

function valueOf(type: ToolParameter['type'], number: number): string | number | boolean {
  if (type === 'string') return `text ${number}`
  return type === 'integer' ? number : number % 2 === 0
}

/** An object with its members in the order of their names, so that JSON compares them. */
function sorted(object: object): object {
  return Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)))
}
