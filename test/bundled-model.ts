import { join } from 'node:path'

/** The folder of the model that comes with the package. */
export const bundledModel: string = join(import.meta.dirname, '../models/all-MiniLM-L6-v2')
