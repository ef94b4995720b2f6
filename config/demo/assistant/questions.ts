// What people ask a city about its streets, and what is right to answer.

export interface Question {
  readonly topic: string;
  readonly asks: string;
  readonly answer: string;
  /** What is asked next in the same conversation, where something is. */
  readonly then?: readonly [asks: string, answer: string];
}

export const questions: readonly [Question, ...Question[]] = [
  {
    topic: 'parking',
    asks: 'May I park in Mill Lane on Sundays?',
    answer: 'Yes. In Mill Lane parking is free on Sundays and from 18:00 to 8:00 on other days.',
    then: ['And with a trailer?', 'A trailer alone may stand there for two weeks at most.'],
  },
  {
    topic: 'parking',
    asks: 'How do I get a permit for residents?',
    answer:
      'Apply online with your certificate of residence. The permit costs 30 euros a year and comes by mail within a week.',
  },
  {
    topic: 'roadworks',
    asks: 'Why is Harbour Street closed, and until when?',
    answer:
      'A water main is being replaced. Harbour Street is to open again on the 12th; buses go by Dock Road until then.',
    then: [
      'Can I still reach number 14 by car?',
      'Yes, residents may drive in from the north up to number 20.',
    ],
  },
  {
    topic: 'roadworks',
    asks: 'There is a hole in the road in front of 8 Elm Row.',
    answer: 'Thank you. I have filed it as report 4471; holes are closed within two working days.',
  },
  {
    topic: 'lights',
    asks: 'The street light at Chapel Square has been dark for a week.',
    answer: 'It is known as report 4390, and a crew comes on Thursday.',
    then: ['Why does that take two weeks?', 'The cable is damaged, and a part had to be ordered.'],
  },
  {
    topic: 'bins',
    asks: 'When is paper collected in Elm Row?',
    answer: 'On every second Tuesday, next on the 3rd. Please put the bins out by 6:30.',
  },
  {
    topic: 'bins',
    asks: 'My bin was not emptied today.',
    answer: 'I am sorry. The round is late by a day because of the holiday; yours comes tomorrow.',
    then: ['Shall I leave it outside?', 'Yes, please leave it where it stands.'],
  },
  {
    topic: 'permits',
    asks: 'I move house on Saturday. Can I keep a space free for the van?',
    answer:
      'Yes. Ask for a moving permit at least four days before; signs can be fetched at the town hall for 25 euros.',
  },
  {
    topic: 'permits',
    asks: 'May my café put tables on the pavement?',
    answer:
      'With a permit, from April to October, where 1.60 m remain free for people who walk by.',
    then: ['What does it cost?', 'Four euros a month and square metre, and 40 euros once.'],
  },
  {
    topic: 'cycling',
    asks: 'Is there a cycle lane from the station to the university?',
    answer:
      'All the way since May: along River Walk and over the new bridge, 3.2 km without a traffic light.',
  },
];
