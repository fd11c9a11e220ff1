<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<!-- Words of Qt that the window shows, for machines without Qt's own catalogues. -->
<TS version="2.1" language="de" sourcelanguage="en">
 <context>
  <name>QPlatformTheme</name>
  <message>
   <source>OK</source>
   <translation>OK</translation>
  </message>
  <message>
   <source>Save</source>
   <translation>Sichern</translation>
  </message>
  <message>
   <source>Save All</source>
   <translation>Alles sichern</translation>
  </message>
  <message>
   <source>Open</source>
   <translation>Öffnen</translation>
  </message>
  <message>
   <source>&amp;Yes</source>
   <translation>&amp;Ja</translation>
  </message>
  <message>
   <source>Yes to &amp;All</source>
   <translation>Ja, &amp;alle</translation>
  </message>
  <message>
   <source>&amp;No</source>
   <translation>&amp;Nein</translation>
  </message>
  <message>
   <source>N&amp;o to All</source>
   <translation>N&amp;ein, keine</translation>
  </message>
  <message>
   <source>Abort</source>
   <translation>Abbrechen</translation>
  </message>
  <message>
   <source>Retry</source>
   <translation>Wiederholen</translation>
  </message>
  <message>
   <source>Ignore</source>
   <translation>Übergehen</translation>
  </message>
  <message>
   <source>Close</source>
   <translation>Schließen</translation>
  </message>
  <message>
   <source>Cancel</source>
   <translation>Abbrechen</translation>
  </message>
  <message>
   <source>Discard</source>
   <translation>Verwerfen</translation>
  </message>
  <message>
   <source>Help</source>
   <translation>Hilfe</translation>
  </message>
  <message>
   <source>Apply</source>
   <translation>Anwenden</translation>
  </message>
  <message>
   <source>Reset</source>
   <translation>Zurücksetzen</translation>
  </message>
  <message>
   <source>Restore Defaults</source>
   <translation>Vorgaben</translation>
  </message>
 </context>
 <context>
  <name>QUndoStack</name>
  <message>
   <source>Undo %1</source>
   <translation>%1 rückgängig</translation>
  </message>
  <message>
   <source>Undo</source>
   <translation>Rückgängig</translation>
  </message>
  <message>
   <source>Redo %1</source>
   <translation>%1 wiederholen</translation>
  </message>
  <message>
   <source>Redo</source>
   <translation>Wiederholen</translation>
  </message>
 </context>
 <context>
  <name>QUndoGroup</name>
  <message>
   <source>Undo %1</source>
   <translation>%1 rückgängig</translation>
  </message>
  <message>
   <source>Undo</source>
   <translation>Rückgängig</translation>
  </message>
  <message>
   <source>Redo %1</source>
   <translation>%1 wiederholen</translation>
  </message>
  <message>
   <source>Redo</source>
   <translation>Wiederholen</translation>
  </message>
 </context>
 <context>
  <name>QLineEdit</name>
  <message>
   <source>&amp;Undo</source>
   <translation>&amp;Rückgängig</translation>
  </message>
  <message>
   <source>&amp;Redo</source>
   <translation>&amp;Wiederholen</translation>
  </message>
  <message>
   <source>Cu&amp;t</source>
   <translation>&amp;Ausschneiden</translation>
  </message>
  <message>
   <source>&amp;Copy</source>
   <translation>&amp;Kopieren</translation>
  </message>
  <message>
   <source>&amp;Paste</source>
   <translation>&amp;Einfügen</translation>
  </message>
  <message>
   <source>Delete</source>
   <translation>Löschen</translation>
  </message>
  <message>
   <source>Select All</source>
   <translation>Alles auswählen</translation>
  </message>
 </context>
 <context>
  <name>QWidgetTextControl</name>
  <message>
   <source>&amp;Undo</source>
   <translation>&amp;Rückgängig</translation>
  </message>
  <message>
   <source>&amp;Redo</source>
   <translation>&amp;Wiederholen</translation>
  </message>
  <message>
   <source>Cu&amp;t</source>
   <translation>&amp;Ausschneiden</translation>
  </message>
  <message>
   <source>&amp;Copy</source>
   <translation>&amp;Kopieren</translation>
  </message>
  <message>
   <source>Copy &amp;Link Location</source>
   <translation>&amp;Verweis kopieren</translation>
  </message>
  <message>
   <source>&amp;Paste</source>
   <translation>&amp;Einfügen</translation>
  </message>
  <message>
   <source>Delete</source>
   <translation>Löschen</translation>
  </message>
  <message>
   <source>Select All</source>
   <translation>Alles auswählen</translation>
  </message>
 </context>
 <context>
  <name>QFileDialog</name>
  <message>
   <source>Directory:</source>
   <translation>Ordner:</translation>
  </message>
  <message>
   <source>File &amp;name:</source>
   <translation>Datei&amp;name:</translation>
  </message>
  <message>
   <source>Files of type:</source>
   <translation>Dateien vom Typ:</translation>
  </message>
  <message>
   <source>Look in:</source>
   <translation>Suchen in:</translation>
  </message>
  <message>
   <source>&amp;Open</source>
   <translation>&amp;Öffnen</translation>
  </message>
  <message>
   <source>&amp;Save</source>
   <translation>&amp;Sichern</translation>
  </message>
  <message>
   <source>&amp;Choose</source>
   <translation>&amp;Wählen</translation>
  </message>
  <message>
   <source>Open</source>
   <translation>Öffnen</translation>
  </message>
  <message>
   <source>Save As</source>
   <translation>Sichern als</translation>
  </message>
  <message>
   <source>Find Directory</source>
   <translation>Ordner suchen</translation>
  </message>
  <message>
   <source>Create New Folder</source>
   <translation>Neuen Ordner anlegen</translation>
  </message>
  <message>
   <source>All Files (*)</source>
   <translation>Alle Dateien (*)</translation>
  </message>
  <message>
   <source>Back</source>
   <translation>Zurück</translation>
  </message>
  <message>
   <source>Forward</source>
   <translation>Vor</translation>
  </message>
  <message>
   <source>Parent Directory</source>
   <translation>Ordner darüber</translation>
  </message>
  <message>
   <source>List View</source>
   <translation>Liste</translation>
  </message>
  <message>
   <source>Detail View</source>
   <translation>Einzelheiten</translation>
  </message>
  <message>
   <source>&amp;Rename</source>
   <translation>&amp;Umbenennen</translation>
  </message>
  <message>
   <source>&amp;Delete</source>
   <translation>&amp;Löschen</translation>
  </message>
  <message>
   <source>Show &amp;hidden files</source>
   <translation>&amp;Verborgene Dateien zeigen</translation>
  </message>
  <message>
   <source>&amp;New Folder</source>
   <translation>&amp;Neuer Ordner</translation>
  </message>
  <message>
   <source>New Folder</source>
   <translation>Neuer Ordner</translation>
  </message>
 </context>
 <context>
  <name>QFileSystemModel</name>
  <message>
   <source>Name</source>
   <translation>Name</translation>
  </message>
  <message>
   <source>Size</source>
   <translation>Größe</translation>
  </message>
  <message>
   <source>Type</source>
   <translation>Art</translation>
  </message>
  <message>
   <source>Kind</source>
   <translation>Art</translation>
  </message>
  <message>
   <source>Date Modified</source>
   <translation>Geändert</translation>
  </message>
 </context>
 <context>
  <name>QAbstractSpinBox</name>
  <message>
   <source>&amp;Select All</source>
   <translation>&amp;Alles auswählen</translation>
  </message>
  <message>
   <source>&amp;Step up</source>
   <translation>&amp;Erhöhen</translation>
  </message>
  <message>
   <source>Step &amp;down</source>
   <translation>&amp;Verringern</translation>
  </message>
 </context>
 <context>
  <name>QShortcut</name>
  <message>
   <source>Ctrl</source>
   <translation>Strg</translation>
  </message>
  <message>
   <source>Shift</source>
   <translation>Umschalt</translation>
  </message>
  <message>
   <source>Alt</source>
   <translation>Alt</translation>
  </message>
  <message>
   <source>Meta</source>
   <translation>Meta</translation>
  </message>
  <message>
   <source>Space</source>
   <translation>Leertaste</translation>
  </message>
  <message>
   <source>Esc</source>
   <translation>Esc</translation>
  </message>
  <message>
   <source>Tab</source>
   <translation>Tab</translation>
  </message>
  <message>
   <source>Backspace</source>
   <translation>Rücktaste</translation>
  </message>
  <message>
   <source>Return</source>
   <translation>Eingabe</translation>
  </message>
  <message>
   <source>Enter</source>
   <translation>Enter</translation>
  </message>
  <message>
   <source>Ins</source>
   <translation>Einfg</translation>
  </message>
  <message>
   <source>Del</source>
   <translation>Entf</translation>
  </message>
  <message>
   <source>Home</source>
   <translation>Pos1</translation>
  </message>
  <message>
   <source>End</source>
   <translation>Ende</translation>
  </message>
  <message>
   <source>Left</source>
   <translation>Links</translation>
  </message>
  <message>
   <source>Up</source>
   <translation>Auf</translation>
  </message>
  <message>
   <source>Right</source>
   <translation>Rechts</translation>
  </message>
  <message>
   <source>Down</source>
   <translation>Ab</translation>
  </message>
  <message>
   <source>PgUp</source>
   <translation>Bild auf</translation>
  </message>
  <message>
   <source>PgDown</source>
   <translation>Bild ab</translation>
  </message>
 </context>
</TS>
