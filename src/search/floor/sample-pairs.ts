import type { SampleLanguage } from '../../documents/index.js'

/** A question and a text that answers it. */
interface SamplePair {
  readonly question: string
  readonly answer: string
}

/**
 * Questions with their answers, four in each language, about the same four subjects. They show how near a model puts
 * texts that belong together, and texts that do not. Written for this project.
 */
export const SAMPLE_PAIRS: Readonly<Record<SampleLanguage, readonly SamplePair[]>> = {
  en: [
    {
      question: 'When does the library close on Saturdays?',
      answer: 'At weekends readers may stay until four in the afternoon; the reading room is shut after that.',
    },
    {
      question: 'Can I get my money back for a train ticket?',
      answer: 'Unused fares are refunded up to one day before departure, less a fee of ten euros.',
    },
    {
      question: 'Why does the washing machine not drain?',
      answer: 'If water stays in the drum, clean the filter behind the flap and check the pump for small objects.',
    },
    {
      question: 'How long is parental leave?',
      answer: 'New mothers and fathers stay at home for eighteen weeks with full pay.',
    },
  ],
  de: [
    {
      question: 'Wann schließt die Bibliothek am Samstag?',
      answer: 'Am Wochenende bleibt der Lesesaal bis vier Uhr nachmittags geöffnet.',
    },
    {
      question: 'Bekomme ich mein Geld für eine Fahrkarte zurück?',
      answer: 'Nicht benutzte Zugtickets werden bis einen Tag vor der Abfahrt erstattet, abzüglich einer Gebühr.',
    },
    {
      question: 'Warum pumpt die Waschmaschine nicht ab?',
      answer: 'Bleibt Wasser in der Trommel, reinigen Sie das Sieb hinter der Klappe und prüfen Sie die Pumpe.',
    },
    {
      question: 'Wie lange dauert die Elternzeit?',
      answer: 'Mütter und Väter bleiben achtzehn Wochen bei vollem Gehalt zu Hause bei ihrem Neugeborenen.',
    },
  ],
  fr: [
    {
      question: 'À quelle heure ferme la bibliothèque le samedi ?',
      answer: 'Le week-end, la salle de lecture reste ouverte aux lecteurs jusqu’à seize heures.',
    },
    {
      question: 'Puis-je me faire rembourser un billet de train ?',
      answer: 'Les titres de transport non utilisés sont remboursés jusqu’à la veille du départ, moins des frais.',
    },
    {
      question: 'Pourquoi le lave-linge ne se vide-t-il pas ?',
      answer: 'Si l’eau reste dans le tambour, nettoyez le filtre derrière la trappe et vérifiez la pompe.',
    },
    {
      question: 'Combien de temps dure le congé parental ?',
      answer: 'Les jeunes parents restent chez eux dix-huit semaines avec leur salaire entier.',
    },
  ],
  es: [
    {
      question: '¿A qué hora cierra la biblioteca los sábados?',
      answer: 'Los fines de semana la sala de lectura está abierta hasta las cuatro de la tarde.',
    },
    {
      question: '¿Me devuelven el dinero de un billete de tren?',
      answer: 'Los pasajes sin usar se reembolsan hasta un día antes de la salida, menos una comisión.',
    },
    {
      question: '¿Por qué no desagua la lavadora?',
      answer: 'Si queda agua en el tambor, limpie el filtro detrás de la tapa y revise la bomba.',
    },
    {
      question: '¿Cuánto dura el permiso parental?',
      answer: 'Las madres y los padres se quedan en casa dieciocho semanas con el sueldo completo.',
    },
  ],
  fi: [
    {
      question: 'Milloin kirjasto sulkeutuu lauantaisin?',
      answer: 'Viikonloppuisin lukusali on auki kello neljään iltapäivällä.',
    },
    {
      question: 'Saanko rahat takaisin junalipusta?',
      answer: 'Käyttämättömät matkaliput hyvitetään päivää ennen lähtöä, maksu vähennetään summasta.',
    },
    {
      question: 'Miksi pesukone ei tyhjenny vedestä?',
      answer: 'Jos rumpuun jää vettä, puhdista luukun takana oleva suodatin ja tarkista pumppu.',
    },
    {
      question: 'Kuinka pitkä on vanhempainvapaa?',
      answer: 'Äidit ja isät jäävät kotiin kahdeksantoista viikon ajaksi täydellä palkalla.',
    },
  ],
  ru: [
    {
      question: 'Когда закрывается библиотека по субботам?',
      answer: 'По выходным читальный зал открыт до четырёх часов дня.',
    },
    {
      question: 'Можно ли вернуть деньги за билет на поезд?',
      answer: 'Неиспользованные проездные документы возмещаются за день до отправления за вычетом сбора.',
    },
    {
      question: 'Почему стиральная машина не сливает воду?',
      answer: 'Если вода остаётся в барабане, прочистите фильтр за крышкой и проверьте насос.',
    },
    {
      question: 'Сколько длится отпуск по уходу за ребёнком?',
      answer: 'Молодые родители остаются дома восемнадцать недель с полной зарплатой.',
    },
  ],
  ar: [
    {
      question: 'متى تغلق المكتبة يوم السبت؟',
      answer: 'في عطلة نهاية الأسبوع تبقى قاعة القراءة مفتوحة حتى الرابعة عصرا.',
    },
    {
      question: 'هل أسترد ثمن تذكرة القطار؟',
      answer: 'يعاد مبلغ الرحلات غير المستعملة حتى يوم قبل المغادرة بعد خصم رسوم.',
    },
    {
      question: 'لماذا لا تصرف الغسالة الماء؟',
      answer: 'إذا بقي الماء في الحوض فنظف المصفاة خلف الغطاء وافحص المضخة.',
    },
    {
      question: 'كم مدة إجازة الأبوين؟',
      answer: 'يبقى الآباء والأمهات الجدد في المنزل ثمانية عشر أسبوعا براتب كامل.',
    },
  ],
  hi: [
    {
      question: 'शनिवार को पुस्तकालय कब बंद होता है?',
      answer: 'सप्ताहांत में वाचनालय शाम चार बजे तक खुला रहता है।',
    },
    {
      question: 'क्या ट्रेन के टिकट का पैसा वापस मिलता है?',
      answer: 'बिना उपयोग की यात्रा का किराया प्रस्थान से एक दिन पहले तक शुल्क काटकर लौटाया जाता है।',
    },
    {
      question: 'वॉशिंग मशीन पानी क्यों नहीं निकालती?',
      answer: 'यदि ड्रम में पानी रह जाए तो ढक्कन के पीछे का फ़िल्टर साफ़ करें और पंप जाँचें।',
    },
    {
      question: 'माता-पिता की छुट्टी कितनी लंबी होती है?',
      answer: 'नए माँ और पिता पूरे वेतन पर अठारह सप्ताह घर पर रहते हैं।',
    },
  ],
  ko: [
    {
      question: '토요일에 도서관은 언제 문을 닫나요?',
      answer: '주말에는 열람실이 오후 네 시까지 열려 있습니다.',
    },
    {
      question: '기차표를 환불받을 수 있나요?',
      answer: '사용하지 않은 승차권은 출발 하루 전까지 수수료를 빼고 돌려받습니다.',
    },
    {
      question: '세탁기 물이 왜 빠지지 않나요?',
      answer: '드럼에 물이 남아 있으면 덮개 뒤의 필터를 청소하고 펌프를 확인하세요.',
    },
    {
      question: '육아 휴직은 얼마나 되나요?',
      answer: '새로 부모가 된 직원은 급여를 전부 받으며 열여덟 주 동안 집에 머뭅니다.',
    },
  ],
  zh: [
    { question: '图书馆星期六几点关门？', answer: '周末阅览室开放到下午四点。' },
    { question: '火车票可以退钱吗？', answer: '未使用的车票在出发前一天可以退款，扣除手续费。' },
    { question: '洗衣机为什么不排水？', answer: '如果滚筒里有积水，请清洗盖板后面的过滤器并检查水泵。' },
    { question: '育儿假有多长？', answer: '新父母可以带全薪在家休息十八个星期。' },
  ],
  ja: [
    { question: '図書館は土曜日に何時に閉まりますか。', answer: '週末の閲覧室は午後四時まで利用できます。' },
    { question: '電車の切符は払い戻せますか。', answer: '未使用の乗車券は出発の前日まで手数料を引いて返金します。' },
    {
      question: '洗濯機の水が抜けないのはなぜですか。',
      answer: 'ドラムに水が残るときは、ふたの奥のフィルターを掃除し、ポンプを調べてください。',
    },
    { question: '育児休暇はどのくらいですか。', answer: '親になった社員は給与全額で十八週間家にいられます。' },
  ],
}
