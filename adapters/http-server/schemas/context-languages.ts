import { z } from 'zod'
import type { ContextLanguages } from '../../../src/index.js'

export const contextLanguagesSchema: z.ZodType<ContextLanguages> = z
  .object({
    embeddingModel: z.string(),
    windows: z.int().min(0).meta({ description: 'Windows of all completed documents: another model embeds so many' }),
    embedMs: z.number().min(0).meta({ description: 'Milliseconds that the model took for their vectors' }),
    languages: z
      .array(
        z
          .object({
            language: z.string().meta({ description: 'ISO 639-1 code, such as `fi`' }),
            name: z.string().meta({ description: 'English name' }),
            documents: z.int().min(1),
            isKnown: z.boolean().nullable().meta({
              description:
                'False if the model does not know the language: words alone find the documents. Null if not measured',
            }),
          })
          .meta({ id: 'DocumentLanguage' }),
      )
      .meta({ description: 'The most documents first, without those whose language is not sure' }),
    notice: z.string().nullable().meta({ description: 'Null, or the languages that the model does not know' }),
    advice: z.string().nullable().meta({ description: 'Null, or the commands for another model, and what they cost' }),
    commands: z.array(z.string()).meta({ description: 'The commands of the advice, in their order' }),
    downloadMb: z.number().min(0).nullable().meta({ description: 'Megabytes of the other model; null without advice' }),
  })
  .meta({ id: 'ContextLanguages' })
