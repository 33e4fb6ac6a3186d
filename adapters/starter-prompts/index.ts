/** StarterPromptWriter from templates. */
export { TemplateStarterPromptWriter } from './template-starter-prompt-writer.js'
