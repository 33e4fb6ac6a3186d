/** Work on whole data folders and models: backup, migration, evaluation, sync, models. `alcove/local` exports it. */

export { type BackupOptions, type BackupProgress, type BackupResult, backupDataDir } from './backup/backup-data-dir.js'
export { type RestoreOptions, type RestoreResult, restoreDataDir } from './backup/restore-data-dir.js'
export { type EvaluationOptions, evaluateSettings } from './evaluation/evaluate-settings.js'
export type {
  ComparedSettings,
  Evaluation,
  EvaluationPlan,
  EvaluationProgress,
  EvaluationQuestion,
  MeasuredSettings,
  SettingsChange,
} from './evaluation/evaluation.js'
export { readQuestions } from './evaluation/read-questions.js'
export type { RetrievalScores } from './evaluation/retrieval-scores.js'
export type { SettingValues } from './evaluation/settings-to-compare.js'
export { type MigrationOptions, type MigrationResult, migrateDataDir } from './migration/migrate-data-dir.js'
export { type AddModelOptions, type AddModelResult, addModel } from './models/add-model.js'
export { checkModel, type ModelCheck, type ModelReport } from './models/check-model.js'
export { type DownloadModelOptions, downloadModel } from './models/download-model.js'
export type { DownloadProgress } from './models/hub/partial-download.js'
export { type ListModelsOptions, type LocalModel, listModels } from './models/list-models.js'
export { type CatalogModel, MODEL_CATALOG } from './models/model-catalog.js'
export { type SyncedFile, type SyncOptions, type SyncSummary, syncFolder } from './sync/sync-folder.js'
export { type FolderWatch, type WatchOptions, watchFolder } from './sync/watch-folder.js'
