import { afterEach, expect, it } from 'vitest'
import { remoteModelsOf } from '../../../../adapters/cli/engines/remote-model.js'
import { OpenAiEmbeddingModel } from '../../../../adapters/openai/index.js'
import { EmbeddingServer } from '../../openai/embedding-server.js'

let server: EmbeddingServer | undefined

afterEach(async () => {
  await server?.stop()
})

const OPTIONS = { embeddingUrl: 'http://127.0.0.1:9/v1', embeddingModel: 'm', embeddingDimensions: 64 }

it('the bodies of the options are members of the requests', async () => {
  server = await EmbeddingServer.start()
  const [options] =
    remoteModelsOf({
      ...OPTIONS,
      embeddingUrl: server.baseUrl,
      embeddingQueryBody: '{"input_type":"query"}',
      embeddingPassageBody: '{"input_type":"document","model":"m-large"}',
    }) ?? []
  const model = await OpenAiEmbeddingModel.open(options ?? { model: 'none' })
  await model.embed(['one'], { kind: 'query' })
  await model.embed(['two'], { kind: 'passage' })
  await model.close()
  expect(server.requests.map(({ body }) => [body.model, body['input_type'], body.input])).toEqual([
    ['m', 'query', ['one']],
    ['m-large', 'document', ['two']],
  ])
})

it('a body that is no JSON is refused with the name of its option', () => {
  expect(() => remoteModelsOf({ ...OPTIONS, embeddingPassageBody: '{input_type:query}' })).toThrow(
    /^--embedding-passage-body: must be an object as JSON, such as \{"input_type":"query"\}$/,
  )
})

it.each([
  ['a list', '[]', /^queryBody: must be an object of JSON values/],
  ['null', 'null', /^queryBody: must be an object of JSON values/],
  ['the texts', '{"input":[]}', /^queryBody\.input: must not be replaced/],
])('the model refuses a body that is %s', async (_name, embeddingQueryBody, message) => {
  const [options] = remoteModelsOf({ ...OPTIONS, embeddingQueryBody }) ?? []
  await expect(OpenAiEmbeddingModel.check(options ?? { model: 'none' })).rejects.toThrow(message)
})
