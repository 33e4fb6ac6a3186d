import { errorReason } from '../../kernel/errors.js'
import type { IngestionReceipt } from '../../ports/index.js'
import { nameOfLanguage } from './advice.js'
import { knowsLanguage, type MeasuredModel } from './known-languages.js'
import { MULTILINGUAL_MODEL } from './multilingual-model.js'

const CODE = 'language-unknown-to-model'

/**
 * Adds the warning that the model does not know the language of the text. A receipt may get it when it is made, or when
 * it is read: a model may be measured later than the document is processed.
 *
 * @param measured the model of the receipt, as it is measured now
 */
export async function withLanguageWarning(
  receipt: IngestionReceipt,
  measured: MeasuredModel | undefined,
): Promise<IngestionReceipt> {
  const { language, embeddingModel: model, warnings, warningReasons } = receipt
  if (language === null || warningReasons.some((reason) => reason?.code === CODE)) return receipt
  if ((await knowsLanguage(measured, language)) !== false) return receipt
  const message =
    `the text is ${nameOfLanguage(language)}, which the model ${model} does not know: it is found by words alone. ` +
    `A multilingual model such as ${MULTILINGUAL_MODEL.id} finds it by meaning too`
  const reason = errorReason(CODE, { language, model })
  return { ...receipt, warnings: [...warnings, message], warningReasons: [...warningReasons, reason] }
}
