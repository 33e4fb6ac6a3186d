/** Names of documents whose references are known to be wrong, by what they were compared with. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  pdf: [
    'XiaoBiaoSong',
    'issue1905',
    'VFont',
    'FC60_Times',
    'rotated',
    '90ms_rksj',
    'issue6127',
    'arial_unicode_ab',
    'issue9915',
    'TAMReview',
    'GeoTopo',
  ],
  doc: ['Bug50955', 'Bug49933', '53446', 'test01', 'test14'],
  txt: ['multi-language', 'Kazakh', 'Bosnian_Bosanski-Latin2', 'HZ', 'Hungarian_Magyar-Unicode'],
}

/** True if a document's reference is known to be wrong. Every figure leaves it out. */
export function isWrongReference(type: string, file: string): boolean {
  return WRONG[type]?.some((name) => file.includes(name)) === true
}
