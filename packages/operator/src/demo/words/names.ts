// Lists names of fictional people. The generator combines first names and last names at random.

// biome-ignore format: a list reads better in lines
export const FIRST_NAMES = [
  'Anna', 'Jürgen', 'Zoë', 'Łukasz', 'Mélanie', 'Björn', 'Chloé', 'Søren', 'Ines', 'Matteo', 'Käthe', 'Noah', 'Élise',
  'Jörg', 'Amélie', 'Oskar', 'Freya', 'Tomáš', 'Sophie', 'Günther', 'Lea', 'Raphaël', 'Ayşe', 'Emil', 'Charlotte',
  'André', 'Maja', 'Hugo', 'Ida', 'Luís', 'Nora', 'Håkon', 'Eva', 'Théo', 'Clara', 'Benedikt', 'Giulia', 'Owen', 'Saoirse',
  'Dániel', 'Marta', 'Florian', 'Rosa', 'Émile', 'Hannah', 'Kofi', 'Leïla', 'Viktor', 'Paula', 'Jonas',
] as const

// biome-ignore format: a list reads better in lines
export const LAST_NAMES = [
  'Müller', 'Lefèvre', 'Høgh', 'Whitcombe', 'Großmann', 'Nowak', 'Schröder', 'Duchêne', 'Lindqvist', 'Bäcker', 'Rossetti',
  'O’Keane', 'Köhler', 'Fontaine', 'Sørby', 'Weiß', 'García', 'Hartwell', 'Čermák', 'Brüning', 'Marchand', 'Öztürk',
  'Vögeli', 'Pemberton', 'Jäger', 'Morel', 'Ångström', 'Schäfer', 'Delacroix', 'Kowalczyk', 'Strauß', 'Haverford', 'Rüegg',
  'Bonnet', 'Fürst', 'Castelli', 'Núñez', 'Thorne', 'Übel', 'Renard', 'Petersen', 'Holzmann', 'Girard', 'Nagy', 'Ashdown',
] as const
