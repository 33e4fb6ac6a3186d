// cspell:disable
/** Texts of some sentences, by the ISO 639-1 code of their language. */
export const TEXTS_IN_LANGUAGES = {
  en: 'The reading room stays open until four in the afternoon at weekends. Unused tickets are refunded up to one day before departure, less a small fee.',
  de: 'Am Wochenende bleibt der Lesesaal bis vier Uhr nachmittags geöffnet. Nicht benutzte Fahrkarten werden bis einen Tag vor der Abfahrt erstattet.',
  fr: 'Le week-end, la salle de lecture reste ouverte aux lecteurs jusqu’à seize heures. Les billets non utilisés sont remboursés jusqu’à la veille du départ.',
  es: 'Los fines de semana la sala de lectura está abierta hasta las cuatro de la tarde. Los pasajes sin usar se reembolsan hasta un día antes de la salida.',
  fi: 'Viikonloppuisin lukusali on auki kello neljään iltapäivällä. Käyttämättömät matkaliput hyvitetään päivää ennen lähtöä, maksu vähennetään summasta.',
  ru: 'По выходным читальный зал открыт до четырёх часов дня. Неиспользованные проездные документы возмещаются за день до отправления за вычетом сбора.',
  uk: 'У вихідні читальна зала відкрита до четвертої години дня. Невикористані квитки повертають за день до відправлення, якщо сплачено невеликий збір.',
  ar: 'في عطلة نهاية الأسبوع تبقى قاعة القراءة مفتوحة حتى الرابعة عصرا. يعاد مبلغ الرحلات غير المستعملة حتى يوم قبل المغادرة بعد خصم رسوم قليلة.',
  hi: 'सप्ताहांत में वाचनालय शाम चार बजे तक खुला रहता है। बिना उपयोग की यात्रा का किराया प्रस्थान से एक दिन पहले तक शुल्क काटकर लौटाया जाता है।',
  ko: '주말에는 열람실이 오후 네 시까지 열려 있습니다. 사용하지 않은 승차권은 출발 하루 전까지 수수료를 빼고 돌려받습니다.',
  zh: '周末阅览室开放到下午四点。未使用的车票在出发前一天可以退款，扣除手续费。新父母可以带全薪在家休息十八个星期，期满后回到岗位。',
  ja: '週末の閲覧室は午後四時まで利用できます。未使用の乗車券は出発の前日まで手数料を引いて返金します。親になった社員は十八週間家にいられます。',
  et: 'Nädalavahetusel on lugemissaal avatud kella neljani pärastlõunal. Kasutamata piletid hüvitatakse kuni üks päev enne väljumist, millest arvatakse maha tasu.',
  da: 'I weekenden er læsesalen åben indtil klokken fire om eftermiddagen. Ubrugte billetter refunderes indtil dagen før afrejsen, fratrukket et lille gebyr.',
} as const

/** Texts in languages that no model of the tests was asked about. */
export const TEXTS_IN_OTHER_LANGUAGES = {
  it: 'Nel fine settimana la sala di lettura resta aperta fino alle quattro del pomeriggio. I biglietti non utilizzati vengono rimborsati fino al giorno prima della partenza.',
  pl: 'W weekendy czytelnia jest otwarta do czwartej po południu. Pieniądze za niewykorzystane bilety zwracamy najpóźniej dzień przed odjazdem, po odliczeniu niewielkiej opłaty.',
  tr: 'Hafta sonları okuma salonu öğleden sonra dörde kadar açıktır. Kullanılmayan biletlerin ücreti, küçük bir kesinti yapılarak hareketten bir gün öncesine kadar geri ödenir.',
  th: 'ในวันหยุดสุดสัปดาห์ห้องอ่านหนังสือเปิดถึงสี่โมงเย็น ตั๋วที่ไม่ได้ใช้สามารถขอเงินคืนได้จนถึงหนึ่งวันก่อนออกเดินทาง',
  uk: 'У вихідні читальна зала відкрита до четвертої години дня. Невикористані квитки повертають за день до відправлення, із суми віднімають невеликий збір.',
} as const
