/** Writes the types of the API that `alcove/client` has, made of the description. */
import { writeFile } from 'node:fs/promises'
import { generateApiTypes } from '../test/adapters/http-server/generate-api-types.js'

await writeFile(new URL('../adapters/client/generated/api.ts', import.meta.url), await generateApiTypes())
