/** Writes the types of the API that the tests' client uses, made of the description. */
import { writeFile } from 'node:fs/promises'
import { generateApiTypes } from '../test/adapters/http-server/generate-api-types.js'

await writeFile(new URL('../test/adapters/http-server/generated/api.ts', import.meta.url), await generateApiTypes())
