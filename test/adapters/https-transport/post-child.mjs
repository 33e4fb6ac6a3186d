/** Posts once with the given options and prints the outcome: for tests of the environment of a process. */
import { HttpsTransport } from '../../../dist/adapters/https-transport/index.js'

const [url, options] = process.argv.slice(2)
const { answers, ...rest } = JSON.parse(options)
const transport = new HttpsTransport({ ...rest, ...(answers && { resolver: async () => answers }) })
const outcome = await transport.post({ url, headers: {}, body: Buffer.from('{}') })
console.log(JSON.stringify({ ...outcome, body: undefined }))
