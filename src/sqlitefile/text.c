/* Where does text live that lies in no single place of the file? */
#include "sqlitefile/internal.h"

char *text_room(struct sqlitefile *f, size_t len)
{
	char *room;

	pthread_mutex_lock(&f->text_lock);
	room = arena_alloc(&f->text, len ? len : 1, 1);
	pthread_mutex_unlock(&f->text_lock);
	return room;
}
