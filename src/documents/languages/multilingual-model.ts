/** The smallest model of many languages that `alcove model download` knows. The engine advises it. */
export const MULTILINGUAL_MODEL: { readonly id: string; readonly sizeMb: number } = {
  id: 'multilingual-e5-small',
  sizeMb: 135,
}
