/** Ordinary sentences, with the encodings that were used for them before Unicode. */
export const NATURAL_TEXTS: readonly {
  readonly language: string
  readonly encodings: readonly string[]
  readonly sentences: readonly string[]
}[] = [
  {
    language: 'French',
    encodings: ['windows-1252', 'macintosh'],
    sentences: [
      'Tous les êtres humains naissent libres et égaux en dignité et en droits.',
      'La réunion de février a été reportée à une date ultérieure, car la salle n’était pas chauffée.',
      'Où est passé le garçon qui nous a apporté le café ?',
    ],
  },
  {
    language: 'German',
    encodings: ['windows-1252', 'iso-8859-1', 'cp850'],
    sentences: [
      'Alle Menschen sind frei und gleich an Würde und Rechten geboren.',
      'Die Schlüssel für das Büro hängen neben der Tür; größere Pakete nimmt der Hausmeister entgegen.',
      'Übermorgen fährt der Zug früher, als wir geglaubt hätten.',
    ],
  },
  {
    language: 'Polish',
    encodings: ['windows-1250', 'iso-8859-2'],
    sentences: [
      'Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.',
      'Proszę przesłać podpisaną umowę do końca przyszłego miesiąca na adres urzędu w Łodzi.',
      'Dziś świeci słońce, więc pójdziemy pieszo przez most.',
    ],
  },
  {
    language: 'Czech',
    encodings: ['windows-1250', 'iso-8859-2'],
    sentences: [
      'Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv.',
      'Příští schůzka se koná v pátek odpoledne, přineste prosím všechny účty za uplynulý měsíc.',
      'Kůň přeskočil plot a běžel dolů k řece.',
    ],
  },
  {
    language: 'Hungarian',
    encodings: ['windows-1250', 'iso-8859-2'],
    sentences: [
      'Minden emberi lény szabadon születik és egyenlő méltósága és joga van.',
      'A következő ülést csütörtökön tartjuk, kérjük, hozza magával az előző évi jegyzőkönyvet.',
      'Az őszi szünetben újra megnyílik a könyvtár.',
    ],
  },
  {
    language: 'Russian',
    encodings: ['windows-1251', 'koi8-r', 'iso-8859-5', 'cp866', 'maccyrillic'],
    sentences: [
      'Все люди рождаются свободными и равными в своем достоинстве и правах.',
      'Заседание совета переносится на следующую пятницу, потому что в зале нет отопления.',
      'Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.',
    ],
  },
  {
    language: 'Ukrainian',
    encodings: ['windows-1251', 'koi8-u', 'iso-8859-5'],
    sentences: [
      'Всі люди народжуються вільними і рівними у своїй гідності та правах.',
      'Засідання ради переноситься на наступну п’ятницю, бо в залі немає опалення.'.replace('’', "'"),
      'Її син їздить до Києва щотижня.',
    ],
  },
  {
    language: 'Greek',
    encodings: ['windows-1253', 'iso-8859-7'],
    sentences: [
      'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.',
      'Η επόμενη συνεδρίαση θα γίνει την Παρασκευή το απόγευμα στη μεγάλη αίθουσα.',
    ],
  },
  {
    language: 'Turkish',
    encodings: ['windows-1254', 'iso-8859-9'],
    sentences: [
      'Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.',
      'Gelecek toplantı cuma öğleden sonra büyük salonda yapılacak, lütfen geçen yılın tutanağını getiriniz.',
      'İstanbul’a giden tren bugün gecikmeli kalkıyor, çünkü yağmur yağıyor.'.replace('’', "'"),
    ],
  },
  {
    language: 'Hebrew',
    encodings: ['windows-1255', 'iso-8859-8'],
    sentences: [
      'כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם.',
      'הישיבה הבאה תתקיים ביום שישי אחר הצהריים באולם הגדול.',
    ],
  },
  {
    language: 'Arabic',
    encodings: ['windows-1256', 'iso-8859-6'],
    sentences: [
      'يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.',
      'تعقد الجلسة القادمة يوم الجمعة بعد الظهر في القاعة الكبرى.',
    ],
  },
  {
    language: 'Lithuanian',
    encodings: ['windows-1257', 'iso-8859-13'],
    sentences: [
      'Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis.',
      'Kitas posėdis įvyks penktadienį po pietų didžiojoje salėje, prašome atsinešti praėjusių metų protokolą.',
    ],
  },
  {
    language: 'Thai',
    encodings: ['windows-874'],
    sentences: ['มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ', 'การประชุมครั้งต่อไปจะจัดขึ้นในวันศุกร์'],
  },
  {
    language: 'Japanese',
    encodings: ['shift_jis', 'euc-jp'],
    sentences: [
      'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。',
      '次の会議は金曜日の午後に大きな部屋で行われますので、去年の資料をお持ちください。',
    ],
  },
  {
    language: 'Chinese, simplified',
    encodings: ['gb18030', 'gbk'],
    sentences: ['人人生而自由，在尊严和权利上一律平等。', '下次会议将于星期五下午在大厅举行，请带上去年的记录。'],
  },
  {
    language: 'Chinese, traditional',
    encodings: ['big5'],
    sentences: ['人人生而自由，在尊嚴和權利上一律平等。', '下次會議將於星期五下午在大廳舉行，請帶上去年的記錄。'],
  },
  {
    language: 'Korean',
    encodings: ['euc-kr'],
    sentences: [
      '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.',
      '다음 회의는 금요일 오후에 큰 방에서 열리니 작년 자료를 가지고 오시기 바랍니다.',
    ],
  },
]
