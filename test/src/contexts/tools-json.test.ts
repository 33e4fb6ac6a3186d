import { describe, expect, it } from 'vitest'
import { parseTools } from '../../../src/contexts/tool.js'

const PARAMETER = { paramName: 'city', type: 'string', required: true, description: 'Which city' }
const TOOL = { id: 1, name: 'weather', description: 'Tells the weather', action: 'Run Agent', agentId: 7 }

describe('toolsJson (Tool definition in docs/explanation/specification.md)', () => {
  it.each([
    ['no tools', []],
    ['a tool without parameters', [TOOL]],
    [
      'a tool with parameters',
      [{ ...TOOL, parameters: [PARAMETER, { ...PARAMETER, paramName: 'day', type: 'integer' }] }],
    ],
    ['members that the table does not name', [{ ...TOOL, icon: '☀', parameters: [{ ...PARAMETER, default: 'Oslo' }] }]],
    [
      'one parameter name in two tools',
      [
        { ...TOOL, parameters: [PARAMETER] },
        { ...TOOL, id: 2, name: 'x', parameters: [PARAMETER] },
      ],
    ],
    ['texts with quotes and backslashes', [{ ...TOOL, description: 'C:\\new "folder"' }]],
    ['texts with control characters', [{ ...TOOL, description: 'a\0b\u0007' }]],
    ['a description of 200,000 characters', [{ ...TOOL, description: 'x'.repeat(200_000) }]],
    ['a parameter name of 1,000 characters', [withParameter({ ...PARAMETER, paramName: 'x'.repeat(1_000) })]],
    ['5,000 tools', Array.from({ length: 5_000 }, (_, id) => ({ ...TOOL, id, name: `tool_${id}` }))],
    [
      '5,000 parameters',
      [
        {
          ...TOOL,
          parameters: Array.from({ length: 5_000 }, (_, number) => ({
            ...PARAMETER,
            paramName: `parameter ${number}`,
          })),
        },
      ],
    ],
  ])('may be %s', (_what, tools) => {
    expect(() => {
      parseTools(JSON.stringify(tools))
    }).not.toThrow()
  })

  const bad: [what: string, tools: unknown, message: string][] = [
    ['not an array', {}, 'toolsJson: must be an array'],
    ['null', null, 'toolsJson: must be an array'],
    ['an element that is no object', ['x'], 'toolsJson[0]: must be an object'],
    ['no id', [without(TOOL, 'id')], 'toolsJson[0].id: is required'],
    ['an id that is no integer', [{ ...TOOL, id: 1.5 }], 'toolsJson[0].id: must be an integer'],
    ['an id as a string', [{ ...TOOL, id: '1' }], 'toolsJson[0].id: must be an integer'],
    [
      'two tools with one id',
      [TOOL, { ...TOOL, name: 'x' }],
      'toolsJson[1].id: must be unique; toolsJson[0] has the same',
    ],
    [
      'two tools with one name',
      [TOOL, { ...TOOL, id: 2 }],
      'toolsJson[1].name: must be unique; toolsJson[0] has the same',
    ],
    ['a name with a space', [{ ...TOOL, name: 'get weather' }], 'toolsJson[0].name: must be a function name'],
    ['a name that begins with a digit', [{ ...TOOL, name: '1st' }], 'toolsJson[0].name: must be a function name'],
    ['a name of 65 characters', [{ ...TOOL, name: 'x'.repeat(65) }], 'toolsJson[0].name: must be a function name'],
    ['no description', [without(TOOL, 'description')], 'toolsJson[0].description: is required'],
    ['another action', [{ ...TOOL, action: 'run agent' }], 'toolsJson[0].action: must be one of "Run Agent"'],
    ['no action', [without(TOOL, 'action')], 'toolsJson[0].action: is required'],
    ['no agentId', [TOOL, { ...without(TOOL, 'agentId'), id: 2 }], 'toolsJson[1].agentId: is required'],
    ['parameters that are no array', [{ ...TOOL, parameters: {} }], 'toolsJson[0].parameters: must be an array'],
    [
      'a parameter without a name',
      [withParameter(without(PARAMETER, 'paramName'))],
      'toolsJson[0].parameters[0].paramName: is required',
    ],
    [
      'a parameter with a blank name',
      [withParameter({ ...PARAMETER, paramName: ' ' })],
      'toolsJson[0].parameters[0].paramName: must not be empty',
    ],
    [
      'an unknown type',
      [withParameter({ ...PARAMETER, type: 'number' })],
      'toolsJson[0].parameters[0].type: must be one of "string", "integer", "boolean"',
    ],
    [
      'required as a string',
      [withParameter({ ...PARAMETER, required: 'yes' })],
      'toolsJson[0].parameters[0].required: must be true or false',
    ],
    [
      'a parameter without description',
      [withParameter(without(PARAMETER, 'description'))],
      'toolsJson[0].parameters[0].description: is required',
    ],
    [
      'two parameters of one name',
      [{ ...TOOL, parameters: [PARAMETER, PARAMETER] }],
      'toolsJson[0].parameters[1].paramName: must be unique',
    ],
  ]
  it.each(bad)('must not be %s', (_what, tools, message) => {
    expect(() => {
      parseTools(JSON.stringify(tools))
    }).toThrow(message)
  })

  it.each(['', '[', "[{'id': 1}]", 'undefined', '[1,]'])('must be JSON: %j', (text) => {
    expect(() => {
      parseTools(text)
    }).toThrow('toolsJson: must be a JSON array as a string; it is not valid JSON')
  })
})

function withParameter(parameter: object): object {
  return { ...TOOL, parameters: [parameter] }
}

function without<T extends object>(object: T, member: keyof T): object {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== member))
}
