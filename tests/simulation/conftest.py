from tests.moderator.conftest import world as world
